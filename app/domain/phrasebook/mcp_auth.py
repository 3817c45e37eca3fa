"""What is said when a remote server wants the consent of an admin."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class McpAuthPhrase(PhraseKey):
    """The link, what comes back of it, and the page that the browser ends on."""

    ASK = "mcp_auth_ask"
    ASK_PASTE = "mcp_auth_ask_paste"
    TAKEN = "mcp_auth_taken"
    DECLINED = "mcp_auth_declined"
    UNKNOWN = "mcp_auth_unknown"
    NOT_YOURS = "mcp_auth_not_yours"
    USAGE_CODE = "mcp_auth_usage_code"
    USAGE_LOGIN = "mcp_auth_usage_login"
    LOGIN_STARTED = "mcp_auth_login_started"
    LOGIN_NO_SERVER = "mcp_auth_login_no_server"


ES: Final[Mapping[McpAuthPhrase, str]] = MappingProxyType(
    {
        McpAuthPhrase.ASK: (
            "El servidor *{server}* necesita tu permiso. Abre este enlace de {host}, entra con tu cuenta y "
            "acepta solo si esperabas esto. Vale {minutes} minutos y una sola vez:\n{url}"
        ),
        McpAuthPhrase.ASK_PASTE: (
            "Al terminar, el navegador quizá muestre una página que no carga. Copia la dirección de esa página y "
            "mándamela así:\n/mcp code DIRECCIÓN"
        ),
        McpAuthPhrase.TAKEN: "Gracias, permiso recibido. Me conecto ahora; /mcp dice cuándo está listo.",
        McpAuthPhrase.DECLINED: "De acuerdo, no tengo permiso y no me conecto.",
        McpAuthPhrase.UNKNOWN: "Ese enlace ya no vale. Pide uno nuevo con /mcp login NOMBRE.",
        McpAuthPhrase.NOT_YOURS: "Ese enlace se envió a otra persona; solo ella puede responder.",
        McpAuthPhrase.USAGE_CODE: "Escribe /mcp code y la dirección completa en la que terminó el navegador.",
        McpAuthPhrase.USAGE_LOGIN: "Escribe /mcp login y el nombre del servidor.",
        McpAuthPhrase.LOGIN_STARTED: "Me conecto otra vez a *{name}*. Si falta tu permiso, te llega un enlace.",
        McpAuthPhrase.LOGIN_NO_SERVER: "No hay ningún servidor {name} que se pueda conectar así.",
    }
)

EN: Final[Mapping[McpAuthPhrase, str]] = MappingProxyType(
    {
        McpAuthPhrase.ASK: (
            "The server *{server}* needs your permission. Open this link of {host}, sign in with your account and "
            "agree only if you expected this. It is good for {minutes} minutes and only once:\n{url}"
        ),
        McpAuthPhrase.ASK_PASTE: (
            "In the end the browser may show a page that does not load. Copy the address of that page and send it "
            "to me like this:\n/mcp code ADDRESS"
        ),
        McpAuthPhrase.TAKEN: "Thanks, I have the permission. Connecting now; /mcp tells when it is ready.",
        McpAuthPhrase.DECLINED: "All right: I have no permission, and do not connect.",
        McpAuthPhrase.UNKNOWN: "That link is no longer good. Ask for a new one with /mcp login NAME.",
        McpAuthPhrase.NOT_YOURS: "That link was sent to somebody else; only they can answer.",
        McpAuthPhrase.USAGE_CODE: "Write /mcp code and the whole address at which the browser ended.",
        McpAuthPhrase.USAGE_LOGIN: "Write /mcp login and the name of the server.",
        McpAuthPhrase.LOGIN_STARTED: "Connecting to *{name}* again. If your permission is needed, you get a link.",
        McpAuthPhrase.LOGIN_NO_SERVER: "There is no server {name} that could be connected like this.",
    }
)
