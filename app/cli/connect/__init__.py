"""The wizard that connects a WhatsApp number: `python -m app connect`."""
