"""/tools and /skills."""

from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.catalog import ToolCatalog
from app.skills.registry import SkillRegistry
from app.skills.tools.catalog.texts import CATALOG


def register(registry: CommandRegistry, catalog: ToolCatalog, skills: SkillRegistry) -> None:
    async def list_tools(args: str, ctx: TurnContext) -> Reply:
        tools = catalog.snapshot()
        lines = [
            f"- **{category}**: {', '.join(f'`{name}`' for name in names)}"
            for category, names in tools.categories.items()
        ]
        return Reply("\n".join([say(CATALOG.tools_title, ctx.language, count=len(tools.tools)), "", *lines]))

    async def show_skills(args: str, ctx: TurnContext) -> Reply:
        if not args:
            lines = [f"- **{skill.name}**: {skill.description}" for skill in skills.list_skills()]
            return Reply("\n".join([say(CATALOG.skills_title, ctx.language), "", *lines]))
        skill = skills.find_skill(args)
        if skill is None:
            return Reply(say(CATALOG.skill_unknown, ctx.language, name=args))
        names = ", ".join(f"`{tool.name}`" for tool in skills.tools_of(skill.name))
        return Reply(f"**{skill.name}**: {skill.description}\n\n{names}\n\n{skill.instructions}")

    registry.add(CommandSpec("tools", CATALOG.help_tools, list_tools))
    registry.add(CommandSpec("skills", CATALOG.help_skills, show_skills, aliases=("review-skill",)))
