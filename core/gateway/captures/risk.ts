import type { Outcome } from '../record/call-record.ts'

/** Measured parts of a risk score, each from 0 to 1. A part that was not measured is absent and counts nowhere. */
export interface RiskParts {
  /** The gravest class of sensitive data that was found. */
  readonly pii?: number
  /** Share of the output signals that fired: three of them count as 1. */
  readonly output?: number
  /** 1 for an answer that failed or is incomplete. */
  readonly incomplete?: number
}

/** Gravity of classes of sensitive data; classes without a line here count as `OTHER_CLASS`. */
const GRAVITY: Readonly<Record<string, number>> = {
  api_key: 1,
  token: 1,
  secret: 1,
  private_key: 1,
  bearer_token: 1,
  database_url: 1,
  ssn: 0.9,
  card: 0.9,
  payment_card: 0.9,
  iban: 0.9,
  mrn: 0.7,
  account_number: 0.7,
  email: 0.4,
  phone: 0.4,
  name: 0.4,
  url: 0.2,
  ip_address: 0.2,
}
const OTHER_CLASS = 0.4
const WEIGHTS: Readonly<Record<keyof RiskParts, number>> = { pii: 0.6, output: 0.5, incomplete: 0.3 }

/** Signals of an answer that is unlike an answer (reference F12). */
export const OUTPUT_SIGNALS = ['length_anomaly', 'repetition', 'single_char_dominance', 'low_entropy'] as const
/** One of them. */
export type OutputSignal = (typeof OUTPUT_SIGNALS)[number]

const LONG_CHARS = 32_000
const WINDOW_CHARS = 24
const MOST_REPEATS = 8
const SHORT_CHARS = 256
/** Characters whose frequencies are counted: the answer's first ones tell enough. */
const COUNTED_CHARS = 64_000

/** Returns the signals that an answer's text gives. */
export function outputSignals(response: string): readonly OutputSignal[] {
  const signals: OutputSignal[] = []
  if (response.length > LONG_CHARS) signals.push('length_anomaly')
  if (isRepeated(response)) signals.push('repetition')
  if (response.length > SHORT_CHARS) {
    const { largestShare, entropyBits } = frequencies(response.slice(0, COUNTED_CHARS))
    if (largestShare > 0.95) signals.push('single_char_dominance')
    if (entropyBits < 1) signals.push('low_entropy')
  }
  return signals
}

/** Measures the parts of a risk score. `redactionClasses` are those that were found; null where no scan looked at the call. */
export function measureRisk(call: {
  readonly redactionClasses: readonly string[] | null
  readonly response: string | null
  readonly outcome: Outcome
}): RiskParts {
  const { redactionClasses: classes, response, outcome } = call
  return {
    ...(classes !== null && { pii: Math.max(0, ...classes.map((name) => GRAVITY[name] ?? OTHER_CLASS)) }),
    ...(response !== null && { output: Math.min(1, outputSignals(response).length / 3) }),
    incomplete: outcome === 'whole' ? 0 : 1,
  }
}

/** The score of measured parts: `1 − Π(1 − wᵢ·sᵢ)`, rounded to four digits. */
export function riskScore(parts: RiskParts): number {
  const names = ['pii', 'output', 'incomplete'] as const
  const kept = names.reduce((product, name) => product * (1 - WEIGHTS[name] * (parts[name] ?? 0)), 1)
  return Math.round((1 - kept) * 10_000) / 10_000
}

/** Scores from here on, and answers with all signals, begin quarantined. */
const QUARANTINE_FROM = 0.8

/** Returns true for a capture that begins quarantined. */
export function beginsQuarantined(score: number, parts: RiskParts): boolean {
  return score >= QUARANTINE_FROM || parts.output === 1
}

function isRepeated(text: string): boolean {
  if (text.length < WINDOW_CHARS * MOST_REPEATS) return false
  const window = text.slice(0, WINDOW_CHARS)
  let count = 0
  for (let at = text.indexOf(window); at !== -1 && count <= MOST_REPEATS; at = text.indexOf(window, at + 1)) count++
  return count > MOST_REPEATS
}

function frequencies(text: string): { readonly largestShare: number; readonly entropyBits: number } {
  const counts = new Map<number, number>()
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    counts.set(unit, (counts.get(unit) ?? 0) + 1)
  }
  let largest = 0
  let entropyBits = 0
  for (const count of counts.values()) {
    const share = count / text.length
    largest = Math.max(largest, share)
    entropyBits -= share * Math.log2(share)
  }
  return { largestShare: largest, entropyBits }
}
