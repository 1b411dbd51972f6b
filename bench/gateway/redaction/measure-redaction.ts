import { SENSITIVE_CLASSES, type SensitiveClass } from '../../../core/gateway/gate/privacy/classes.ts'
import { compileTerms } from '../../../core/gateway/gate/privacy/scan/terms.ts'
import { scanText, type TermFinder } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { drawFrom, type Drawing } from './drawing.ts'
import { HARMLESS, PROSE } from './harmless-texts.ts'
import { FORGOTTEN, SAMPLERS, TERMS } from './sensitive-values.ts'

/** A text with what is sensitive in it; null for nothing. */
interface Sample {
  readonly text: string
  readonly kind: SensitiveClass | null
  readonly value: string
}

/** Recall and precision of a class. */
export interface ClassScore {
  readonly kind: SensitiveClass
  readonly recall: number
  readonly precision: number
  /** Texts in which it was missed, and in which it was seen without being there. */
  readonly missed: readonly string[]
  readonly wrong: readonly string[]
}

/** The terms and forgotten subjects of the samples. */
export const SAMPLE_TERMS: TermFinder = compileTerms([
  { kind: 'proprietary_term', terms: TERMS },
  { kind: 'forgotten', terms: FORGOTTEN },
])

/** Draws `count` texts with a value of each class and as many harmless ones per class. */
export function drawSamples(count: number, seed: number): readonly Sample[] {
  const from = drawFrom(seed)
  const sensitive = SENSITIVE_CLASSES.flatMap((kind) => Array.from({ length: count }, () => drawSample(kind, from)))
  const harmless = Array.from({ length: count * SENSITIVE_CLASSES.length }, (_none, i) => {
    const draw = HARMLESS[i % HARMLESS.length]
    return { text: draw === undefined ? '' : draw(from), kind: null, value: '' }
  })
  return [...sensitive, ...harmless]
}

function drawSample(kind: SensitiveClass, from: Drawing): Sample {
  const { draw, in: sentences } = SAMPLERS[kind]
  const value = draw(from)
  const lead = from.chance(0.3) ? `${from.pick(PROSE)} ` : ''
  const tail = from.chance(0.3) ? ` ${from.pick(PROSE)}` : ''
  return { text: `${lead}${from.pick(sentences).replace('{}', () => value)}${tail}`, kind, value }
}

/** Scans the samples. A value counts as found when one find of its class covers it, or all of it but a title. */
export function scoreSamples(samples: readonly Sample[]): readonly ClassScore[] {
  const found = new Map(
    SENSITIVE_CLASSES.map((kind) => [
      kind,
      { asked: 0, right: 0, wrong: 0, missed: [] as string[], false: [] as string[] },
    ]),
  )
  for (const { text, kind, value } of samples) {
    const at = kind === null ? -1 : text.indexOf(value)
    let isFound = false
    for (const find of scanText(text, SAMPLE_TERMS)) {
      const score = found.get(find.kind)
      if (score === undefined) continue
      const overlaps = find.kind === kind && find.start < at + value.length && find.end > at
      if (!overlaps) {
        score.wrong++
        score.false.push(`${text.slice(find.start, find.end)} in ${text.slice(0, 160)}`)
      } else if (find.start <= at && find.end >= at + value.length) isFound = true
      // A scheme such as `Bearer` may stay.
      else if (text.slice(find.start, find.end).length >= value.length - 7 && find.end >= at + value.length)
        isFound = true
    }
    if (kind === null) continue
    const score = found.get(kind)
    if (score === undefined) continue
    score.asked++
    if (isFound) score.right++
    else score.missed.push(text.slice(0, 200))
  }
  return [...found].map(([kind, score]) => ({
    kind,
    recall: score.right / Math.max(1, score.asked),
    precision: score.right / Math.max(1, score.right + score.wrong),
    missed: score.missed,
    wrong: score.false,
  }))
}

/** A long text with so many sensitive values per thousand sentences. */
export function drawText(chars: number, perThousand: number, seed: number): string {
  const from = drawFrom(seed)
  const sentences: string[] = []
  for (let length = 0; length < chars;) {
    const sentence =
      from.int(1, 1000) <= perThousand ? drawSample(from.pick(SENSITIVE_CLASSES), from).text : from.pick(PROSE)
    sentences.push(sentence)
    length += sentence.length + 1
  }
  return sentences.join(' ')
}

/** Texts that are as bad as can be for a scanner, of about so many characters. */
export function adversarialTexts(chars: number): readonly string[] {
  const pieces = [
    'a@',
    '@',
    '1 ',
    '1-',
    '1.',
    '4111 ',
    '4111-',
    '411111111111111',
    'eyJ',
    'eyJaaaaaaaa.',
    'A1',
    '(1',
    '+1 ',
    'de89 ',
    'DE89 3704 ',
    'bearer 1',
    'earer ',
    'x://a:b',
    '-----BEGIN PRIVATE KEY-----',
    '-----',
    'password=',
    'password:',
    'sk-',
    'sk-a1',
    'a.local',
    '.local',
    '::',
    'a:',
    '1:',
    'fe80:',
    '1 Main ',
    '12 A B C D ',
    'Jane ',
    'Dr. ',
    'Mr ',
    'account ',
    'account 1',
    'mrn 1',
    'born 1/',
    'ssn 1',
    '0 0 ',
    '007 ',
    'CUST-',
    '\u00e9',
    '1\u00a0',
    'A',
    'a',
    '0',
    '_',
    '=',
    'VAR_EMAIL_1 ',
    '.',
    'Anna-',
    "O'",
    'Aurora ',
    'subject ',
  ]
  return pieces.map((piece) => piece.repeat(Math.ceil(chars / piece.length)))
}
