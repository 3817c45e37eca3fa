"""Only the public internet may be connected to, however the address is written or resolved."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.errors import ToolFault
from app.security.egress import EgressGate, is_public, parse_url

PRIVATE_V4 = [
    ip_network(block)
    for block in (
        "10.0.0.0/8",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
    )
]
METADATA = (
    "169.254.169.254",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "fd00:ec2::254",
    "fe80::a9fe:a9fe",
)
QUICK = settings(deadline=None)


class Names:
    """A resolver that knows a few names."""

    def __init__(self, **addresses: Sequence[str]) -> None:
        self._addresses = {name.replace("_", "."): found for name, found in addresses.items()}

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        return self._addresses.get(host, (host,))


def v4_in(network: str) -> st.SearchStrategy[str]:
    block = ip_network(network)
    first, last = int(block.network_address), int(block.broadcast_address)
    return st.integers(first, last).map(lambda number: str(IPv4Address(number)))


private_v4 = st.one_of([v4_in(str(block)) for block in PRIVATE_V4])


@QUICK
@given(private_v4)
def test_no_private_address_is_public_in_any_of_its_disguises(address: str) -> None:
    number = int(IPv4Address(address))
    disguises = [
        address,
        f"::ffff:{address}",
        f"::{address}",
        f"64:ff9b::{address}",
        str(IPv6Address((0x2002 << 112) | (number << 80))),
        str(IPv6Address((0x20010000 << 96) | (number ^ 0xFFFFFFFF))),
    ]
    assert [one for one in disguises if is_public(one)] == []


@QUICK
@given(st.ip_addresses(v=4).map(str))
def test_what_python_itself_calls_private_or_special_is_never_public(address: str) -> None:
    ip = IPv4Address(address)
    if not ip.is_global or ip.is_multicast or ip.is_reserved or ip.is_loopback or ip.is_link_local:
        assert not is_public(address)


@QUICK
@given(st.ip_addresses(v=6).map(str))
def test_of_ipv6_only_global_unicast_is_public(address: str) -> None:
    ip = IPv6Address(address)
    if is_public(address):
        assert int(ip) >> 125 == 1
        assert ip.ipv4_mapped is None
        assert ip.sixtofour is None
        assert ip.teredo is None


@QUICK
@given(st.text(max_size=40))
def test_what_is_no_address_is_not_public(text: str) -> None:
    if not set(text) <= set("0123456789abcdefABCDEF.:"):
        assert not is_public(text)


@pytest.mark.parametrize("address", METADATA)
def test_the_addresses_of_cloud_metadata_are_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "1.1.1.1", "2606:4700:4700::1111"])
def test_ordinary_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", ["fe80::1%eth0", "2606:4700::1%1", "", "example.com", "1.1.1.1/32"])
def test_zones_and_names_are_not_public_addresses(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com",
        "//example.com",
        "example.com",
        "https://",
        "https:///path",
        "https://user@example.com/",
        "https://user:secret@example.com/",
        "https://1.1.1.1\\@127.0.0.1/",
        "https://example.com /",
        "https://example.com/\r\nHost: localhost",
        "https://exämple.com/",
        "https://example.com:22/",
        "https://example.com:0/",
        "https://example.com:99999/",
        "https://example.com:abc/",
        "https://[::1/",
        "https://[fe80::1%25eth0]/",
        "https://exa%6dple.com/",
        "https://example.com/" + "a" * 2048,
    ],
)
def test_a_url_that_could_be_read_in_two_ways_or_is_none_is_refused(url: str) -> None:
    with pytest.raises(ToolFault) as caught:
        parse_url(url)
    assert "refused" in caught.value.detail
    assert "secret" not in caught.value.detail


@pytest.mark.parametrize(
    ("url", "spelled"),
    [
        ("HTTPS://Example.COM", "https://example.com/"),
        ("https://example.com:443/a?b=c#d", "https://example.com/a?b=c"),
        ("http://example.com.:8080/x", "http://example.com:8080/x"),
        ("https://[2606:4700::1111]/x", "https://[2606:4700::1111]/x"),
    ],
)
def test_a_url_has_one_spelling(url: str, spelled: str) -> None:
    assert parse_url(url).url == spelled


@QUICK
@given(st.text(max_size=60))
def test_a_url_is_either_taken_apart_or_refused(text: str) -> None:
    for url in (text, f"https://{text}", f"https://example.com/{text}"):
        try:
            target = parse_url(url)
        except ToolFault:
            continue
        assert target.scheme in {"http", "https"}
        assert parse_url(target.url) == target


async def test_a_name_leads_to_all_its_public_addresses_once() -> None:
    gate = EgressGate(Names(example_com=("93.184.215.14", "93.184.215.14", "2606:4700::1111")))
    checked = await gate.check("https://example.com/skill")
    assert checked.addresses == ("93.184.215.14", "2606:4700::1111")
    assert checked.target.host == "example.com"


@pytest.mark.parametrize(
    "addresses", [(), ("127.0.0.1",), ("93.184.215.14", "10.0.0.8"), ("::ffff:10.0.0.8",), ("93.184.215.14", "")]
)
async def test_a_name_with_one_address_that_is_not_public_is_refused(addresses: Sequence[str]) -> None:
    with pytest.raises(ToolFault) as caught:
        await EgressGate(Names(example_com=addresses)).check("https://example.com/")
    assert "10.0.0.8" not in caught.value.detail


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:169.254.169.254]", "0.0.0.0", "192.168.1.1:8080"])
async def test_an_address_in_place_of_a_name_is_checked_as_well(host: str) -> None:
    with pytest.raises(ToolFault):
        await EgressGate(Names()).check(f"http://{host}/")
