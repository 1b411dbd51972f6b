const OPENING = '([{'
const CLOSING = ')]}'

/** True for code that binds tighter than any operator: a name, a constant, a call, or brackets. */
export function isAtomic(code: string): boolean {
  let depth = 0
  for (let at = 0; at < code.length; at++) {
    const char = code.charAt(at)
    if (char === '"' || char === "'" || char === '`') {
      at = endOfString(code, at, char)
    } else if (OPENING.includes(char)) depth++
    else if (CLOSING.includes(char)) depth--
    else if (depth === 0 && !/[\w.$\]]/.test(char)) return false
  }
  return depth === 0
}

function endOfString(code: string, start: number, quote: string): number {
  let at = start + 1
  while (at < code.length && code.charAt(at) !== quote) at += code.charAt(at) === '\\' ? 2 : 1
  return at
}

/** The code in brackets, unless it needs none. */
export function atom(code: string): string {
  return isAtomic(code) ? code : `(${code})`
}
