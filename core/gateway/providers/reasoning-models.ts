/** Models that take an effort of reasoning. Routers and own servers put the name of a maker before it. */
const REASONING = [
  /^o(1(?!-(mini|preview))|[3-9])(-|$)/,
  /^gpt-(5(?!.*chat)|oss)/,
  /^codex-/,
  /^claude-(3-7|3\.7|(opus|sonnet|haiku)-[4-9])/,
  /^gemini-(2\.5|[3-9])(?!.*-(image|tts|live))/,
]

/** Returns true for a model that is known to reason by an effort; others may refuse a call that has one. */
export function takesEffort(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1)
  return REASONING.some((pattern) => pattern.test(name))
}
