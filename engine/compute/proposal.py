"""A plan from a model, where the grammar of the question reads none.

The model can write nothing but a plan; what it wrote is checked as if a person had typed it.
"""

from __future__ import annotations

from datetime import date

from engine.compute.plan_text import grammar, parsed
from engine.plan import Plan
from engine.prompts.templates import render
from models.protocols import GenerationRequest, Generator, Grammar

PLAN_TOKENS = 80


def proposed(model: Generator, question: str, today: date) -> str:
    """Return the line that the model writes."""
    prompt = render(model, "plan", question=question, today=today.isoformat())
    pieces = model.sample(
        GenerationRequest(
            (prompt,), max_tokens=PLAN_TOKENS, stop=("\n",), constraint=Grammar(grammar())
        )
    )
    return "".join(piece.text for piece in pieces).strip()


def plan_of(line: str) -> Plan:
    """Return the plan of a proposed line. Raises `PlanRefused`."""
    return parsed(line)
