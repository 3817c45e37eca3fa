"""The official MCP conformance suite, driven through our manager: `python -m tests.conformance`."""
