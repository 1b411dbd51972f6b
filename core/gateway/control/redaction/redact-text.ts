import type { SensitiveClass } from '../../gate/privacy/classes.ts'
import { scanText } from '../../gate/privacy/scan/scan-text.ts'
import { markOf } from './marks.ts'

/** Replaces sensitive parts of a text by their class in brackets and adds the classes to `classes`. */
export function redactText(text: string, classes: Set<SensitiveClass>): string {
  let redacted = ''
  let from = 0
  for (const { start, end, kind } of scanText(text)) {
    classes.add(kind)
    redacted += text.slice(from, start) + markOf(kind)
    from = end
  }
  return redacted + text.slice(from)
}
