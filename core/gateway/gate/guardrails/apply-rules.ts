import type { JsonObject } from '../../../kernel/json/json.ts'
import { mapTexts } from '../privacy/walk.ts'
import { compilePattern } from './patterns.ts'
import type { GuardrailRule } from './rules.ts'

/** A rule that a text of the call matches. */
export interface RuleMatch {
  readonly rule: GuardrailRule
  /** Place of the match in its text, characters from 0. */
  readonly at: number
}

/** The result of applying rules to a call. */
export interface RuledCall {
  readonly body: JsonObject
  /** The first rule that refuses it. */
  readonly blocked: RuleMatch | null
  /** Names of the rules that warn, and of those that replaced something. */
  readonly warnings: readonly string[]
  readonly rewrites: readonly string[]
}

const MOST_MATCHES = 1000
const REMOVED = '[removed]'

/**
 * Applies the rules in order to every text of a body; a rule sees what the ones before it replaced. A rewrite
 * leaves names of tools, properties and arguments, and the values that a JSON Schema fixes.
 */
export function applyRules(body: JsonObject, rules: readonly GuardrailRule[]): RuledCall {
  let ruled = body
  const warnings: string[] = []
  const rewrites: string[] = []
  for (const rule of rules) {
    const pattern = compilePattern(rule.pattern)
    let first: number | null = null
    // A rewritten name would be another tool's or another property's, and a rewritten value one that the schema refuses.
    const keep = (text: string): string => {
      if (rule.action !== 'rewrite') first ??= pattern.find(text, 1)[0]?.[0] ?? null
      return text
    }
    const rewritten = mapTexts(ruled, {
      number: (value) => value,
      fixedNumber: (value) => value,
      name: keep,
      property: keep,
      fixed: keep,
      text(text) {
        const found = pattern.find(text, rule.action === 'rewrite' ? MOST_MATCHES : 1)
        if (found.length === 0) return text
        first ??= found[0]?.[0] ?? 0
        return rule.action === 'rewrite' ? replaced(text, found, rule.replacement ?? REMOVED) : text
      },
    })
    if (first === null) continue
    if (rule.action === 'block') return { body: ruled, blocked: { rule, at: first }, warnings, rewrites }
    if (rule.action === 'warn') warnings.push(rule.name)
    else {
      rewrites.push(rule.name)
      ruled = rewritten
    }
  }
  return { body: ruled, blocked: null, warnings, rewrites }
}

function replaced(text: string, found: readonly (readonly [number, number])[], by: string): string {
  let from = 0
  let written = ''
  for (const [start, end] of found) {
    written += text.slice(from, start) + by
    from = end
  }
  return written + text.slice(from)
}
