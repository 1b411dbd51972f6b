const compiled = new Map<string, RegExp>()

/** Every match of one of the simple regular expressions that the synthesizer writes itself. */
export function regexMatchesOf(text: string, regex: string): readonly string[] {
  let expression = compiled.get(regex)
  if (expression === undefined) {
    expression = new RegExp(regex, 'g')
    if (compiled.size > 500) compiled.clear()
    compiled.set(regex, expression)
  }
  return text.match(expression) ?? []
}
