import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { isJsonObject } from '../../../kernel/json/json.ts'
import { mapTexts, visitorOf } from '../privacy/walk.ts'

/** Result of the look for prompt injection. A heuristic over phrases: it misses what is put in other words. */
export interface InjectionVerdict {
  readonly categories: readonly string[]
  /** 0, or from 0.6 to 0.95 by the number of phrases found. */
  readonly score: number
  readonly isAdversarial: boolean
}

/** Version of the phrases. */
export const INJECTION_DETECTOR = 'phrases-1'
/** Score from which a call counts as adversarial. */
const THRESHOLD = 0.85

/** Phrases by category, each with its evidence. Gaps are bounded, so that the time is linear in the text. */
const PHRASES: readonly (readonly [category: string, phrase: RegExp, evidence: number])[] = [
  [
    'prompt_injection',
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|preceding|all|your)\b[^.\n]{0,20}\b(?:instructions?|rules?|prompts?|directives?|guidelines?)\b/i,
    4,
  ],
  ['prompt_injection', /\bnew (?:instructions?|rules?) (?:from|by) (?:the )?(?:system|developer|admin)/i, 3],
  [
    'jailbreak',
    /\b(?:do anything now|you are (?:now )?dan\b|developer mode|jailbreak(?:ed|ing)?|unrestricted (?:ai|mode|assistant)|without (?:any )?(?:restrictions?|filters?|censorship))/i,
    3,
  ],
  [
    'jailbreak',
    /\b(?:pretend|act as if|imagine)\b[^.\n]{0,40}\b(?:no|without|any) (?:rules|restrictions|limits|filters|guidelines)\b/i,
    4,
  ],
  [
    'system_prompt_leak',
    /\b(?:reveal|print|show|repeat|output|display|leak|tell me)\b[^.\n]{0,30}\b(?:system|initial|hidden|original|secret) (?:prompt|instructions?|message)\b/i,
    4,
  ],
  [
    'data_extraction',
    /\b(?:list|dump|print|export|send|exfiltrate)\b[^.\n]{0,30}\b(?:all|every)\b[^.\n]{0,20}\b(?:api keys?|passwords?|secrets?|credentials?|training data|user data)\b/i,
    4,
  ],
  ['role_confusion', /(?:^|\n)\s{0,8}(?:<\|?(?:im_start\|?>)?\s?system|\[?system\]?\s?:|### ?system|<\/?system>)/i, 3],
  [
    'encoding_smuggling',
    /\b(?:decode|base64|rot13|hex)\b[^.\n]{0,40}\b(?:and|then)\b[^.\n]{0,20}\b(?:follow|execute|obey|run|do)\b/i,
    4,
  ],
  ['encoding_smuggling', /[\u200b\u200c\u2060\ufeff]{8}|[\u{e0020}-\u{e007e}]{8}/u, 4],
  [
    'tool_hijack',
    /\b(?:call|invoke|use|run)\b[^.\n]{0,20}\b(?:tool|function|plugin)\b[^.\n]{0,40}\b(?:without (?:asking|telling|confirmation)|secretly|silently)\b/i,
    4,
  ],
]
/** A cheap look that settles most texts: one of these stands in every phrase. */
const STEM =
  /ignore|disregard|forget|override|bypass|new (?:instruct|rule)|anything now|now dan|developer mode|jailbreak|unrestricted|without|pretend|act as|imagine|reveal|print|show|repeat|output|display|leak|tell me|dump|export|exfiltrate|system|decode|base64|rot13|hex|[\u200b\u200c\u2060\ufeff]{8}|\udb40|silently|secretly|send/i
const FILLER_CHARS = 200_000

/** Nothing was found, or looked for. */
export const NO_VERDICT: InjectionVerdict = { categories: [], score: 0, isAdversarial: false }

/** Looks for phrases of prompt injection in what callers, users and tools say; system prompts are the operator's own. */
export function detectInjection(body: JsonObject): InjectionVerdict {
  const found = new Map<RegExp, readonly [string, number]>()
  let isOverflow = false
  const look = (text: string): string => {
    isOverflow ||= text.length > FILLER_CHARS && new Set(text.slice(0, 2000)).size < 4
    if (STEM.test(text)) {
      for (const [category, phrase, evidence] of PHRASES) if (phrase.test(text)) found.set(phrase, [category, evidence])
    }
    return text
  }
  mapTexts(withoutSystem(body), { ...visitorOf(look), name: (name) => name })
  const hits = [...found.values(), ...(isOverflow ? [['context_overflow', 4] as const] : [])]
  if (hits.length === 0) return NO_VERDICT
  const evidence = hits.reduce((sum, [, weight]) => sum + weight, 0)
  const score = Math.min(0.95, 0.5 + 0.1 * evidence)
  return {
    categories: [...new Set(hits.map(([category]) => category))].toSorted(),
    score,
    isAdversarial: score >= THRESHOLD,
  }
}

const SYSTEM_ROLES: ReadonlySet<Json | undefined> = new Set(['system', 'developer'])

function withoutSystem(body: JsonObject): JsonObject {
  const { system: _s, instructions: _i, systemInstruction: _g, system_instruction: _h, tools: _t, ...rest } = body
  const said = (value: Json | undefined): Json =>
    Array.isArray(value)
      ? value.filter((one: Json) => !(isJsonObject(one) && SYSTEM_ROLES.has(one['role'])))
      : (value ?? null)
  return { ...rest, messages: said(rest['messages']), input: said(rest['input']) }
}
