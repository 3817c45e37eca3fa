"""/tools and /skills."""

from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.outbound import Reply
from app.domain.phrases import Phrase, say
from app.domain.turn import TurnContext
from app.skills.catalog import ToolCatalog
from app.skills.registry import SkillRegistry


def register(registry: CommandRegistry, catalog: ToolCatalog, skills: SkillRegistry) -> None:
    async def list_tools(args: str, ctx: TurnContext) -> Reply:
        tools = catalog.snapshot()
        lines = [
            f"- **{category}**: {', '.join(f'`{name}`' for name in names)}"
            for category, names in tools.categories.items()
        ]
        return Reply("\n".join([say(Phrase.TOOLS_TITLE, ctx.language, count=len(tools.tools)), "", *lines]))

    async def show_skills(args: str, ctx: TurnContext) -> Reply:
        if not args:
            lines = [f"- **{skill.name}**: {skill.description}" for skill in skills.list_skills()]
            return Reply("\n".join([say(Phrase.SKILLS_TITLE, ctx.language), "", *lines]))
        skill = skills.find_skill(args)
        if skill is None:
            return Reply(say(Phrase.SKILL_UNKNOWN, ctx.language, name=args))
        names = ", ".join(f"`{tool.name}`" for tool in skills.tools_of(skill.name))
        return Reply(f"**{skill.name}**: {skill.description}\n\n{names}\n\n{skill.instructions}")

    registry.add(CommandSpec("tools", Phrase.HELP_TOOLS, list_tools))
    registry.add(CommandSpec("skills", Phrase.HELP_SKILLS, show_skills, aliases=("review-skill",)))
