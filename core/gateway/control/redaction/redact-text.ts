import { markOf, type SensitiveClass } from './classes.ts'
import { isPhone, replaceCards, replaceIbans } from './numbers.ts'

interface Rule {
  readonly kind: SensitiveClass
  readonly replace: (text: string, mark: () => string) => string
}

/**
 * Returns a rule for the matches of a pattern. Repetitions are bounded or cannot overlap, so that matching is linear.
 */
function found(kind: SensitiveClass, pattern: RegExp, isIt: (text: string) => boolean = () => true): Rule {
  return { kind, replace: (text, mark) => text.replace(pattern, (match) => (isIt(match) ? mark() : match)) }
}

/** Most texts hold no address, and the look for one begins at every letter. */
function emails(pattern: RegExp): Rule {
  const rule = found('email', pattern)
  return { ...rule, replace: (text, mark) => (text.includes('@') ? rule.replace(text, mark) : text) }
}

/** Long and certain kinds first, so that a part of one is not taken for another kind. */
const RULES: readonly Rule[] = [
  found(
    'secret',
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----)){0,16000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  ),
  found('secret', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:[^\s/@]{1,200}@/gi),
  found(
    'secret',
    /\b(?:password|passwd|pwd|api[_-]?key|access[_-]?token|client[_-]?secret)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?[^\s"'&,;[\]]{4,200}/gi,
  ),
  found('token', /\beyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{8,1000}/g),
  found('token', /\b(?:bearer|basic) (?=[\w+/=.~-]{0,200}\d)[\w+/=.~-]{16,2000}/gi),
  found('api_key', /\b(?:ks|kao|scim)_(?:[0-9a-z]{4,20}_)?[0-9A-Za-z]{16,64}\b/g),
  found(
    'api_key',
    /\b(?:sk|rk|pk|gh[opsur]|github_pat|glpat|xox[abeprs]|whsec|hf|npm)[-_][\w-]{16,200}|\bAIza[\w-]{30,60}/g,
  ),
  found('api_key', /\bAKIA[0-9A-Z]{16}\b/g),
  emails(/[\p{L}\p{N}_.%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu),
  found('phone', /(?<!\w)\+\d{8,15}(?!\w)/g),
  { kind: 'iban', replace: replaceIbans },
  { kind: 'card', replace: replaceCards },
  found('phone', /(?<![\w.])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,4}){2,4}(?![\w.])/g, isPhone),
]

/** Replaces sensitive parts of a text by their kind in brackets and adds the kinds to `classes`. */
export function redactText(text: string, classes: Set<SensitiveClass>): string {
  return RULES.reduce(
    (rest, { kind, replace }) =>
      replace(rest, () => {
        classes.add(kind)
        return markOf(kind)
      }),
    text,
  )
}
