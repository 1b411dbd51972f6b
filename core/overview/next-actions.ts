import type { JsonObject } from '../kernel/json/json.ts'

/** The kinds of proposals, with the priority of each: 1 comes first. */
export const ACTION_PRIORITIES = {
  readiness: 1,
  drift: 2,
  stale: 3,
  idle: 4,
  cost: 5,
  security: 6,
  fallbacks: 7,
  compile: 8,
} as const
/** One of them. */
export type ActionType = keyof typeof ACTION_PRIORITIES

/** A suggested next step for a tenant, and its reason. */
export interface NextAction {
  readonly type: ActionType
  readonly priority: number
  readonly title: string
  readonly body: string
  readonly ctaLabel: string
  readonly ctaHref: string
  readonly params: JsonObject
  /** Key under which the tenant can dismiss it. */
  readonly dismissKey: string
}

/** The figures of a namespace. */
export interface NamespaceFacts {
  readonly namespace: string
  /** Events that were captured in it. */
  readonly captures: number
  readonly lastCompiledAt: Date | null
  /** Events since then; all of them when it was never compiled. */
  readonly capturesSinceCompile: number
}

/** An artifact that its concept answers with now. */
export interface ArtifactFacts {
  readonly id: string
  readonly name: string
  readonly signedAt: Date
  readonly kScore: number
  /** K-score of the version before it; null for a first one. */
  readonly earlierKScore: number | null
  /** For an old one: events that were captured since it was signed, `MOST_CAPTURES` at most. */
  readonly capturesSince: number
}

/** The calls of a concept in the last 30 days. */
export interface ConceptCalls {
  readonly conceptId: string
  readonly name: string
  readonly calls: number
  /** Calls that its artifact could not answer. */
  readonly failures: number
}

/** Facts of a tenant from which suggestions are made. */
export interface AccountSnapshot {
  readonly now: Date
  readonly namespaces: readonly NamespaceFacts[]
  readonly artifacts: readonly ArtifactFacts[]
  readonly concepts: readonly ConceptCalls[]
  readonly artifactCount: number
  readonly lastCaptureAt: Date | null
  /** Cost in the last 30 days, and in the 30 days before them, millionths of a US dollar. */
  readonly spentUsdMicros: number
  readonly spentBeforeUsdMicros: number
  /** Events of the last 30 days in which redaction found personal data. */
  readonly personalCaptures: number
  /** Age of the primary key in days, and the age from which the tenant is reminded; null without such a key. */
  readonly keyAgeDays: number | null
  readonly keyRotationDays: number
  /** Shared provider keys of a team that a former member knew. */
  readonly knownProviderKeys: readonly { readonly id: string; readonly provider: string }[]
}

const DAY_MS = 86_400_000
const READY_CAPTURES = 100
const MANY_CAPTURES = 200
/** Cap on the count of events since an artifact was signed. */
export const MOST_CAPTURES = 1000
/** Age in days from which a compile counts as old. */
export const OLD_DAYS = 90
const IDLE_DAYS = 14
const DRIFT = 0.03
const OVERSPENT = 1.25
const ENOUGH_CALLS = 50
const FALLBACK_SHARE = 0.1

/** A suggestion with its rank among those of its kind: larger first. */
type Ranked = NextAction & { readonly magnitude: number }

/** Returns the suggested next steps, most important first: by priority, then by magnitude, then by key. */
export function nextActions(snapshot: AccountSnapshot): readonly NextAction[] {
  const ranked: Ranked[] = [
    ...snapshot.namespaces.flatMap((facts) => readiness(facts, snapshot.now)),
    ...snapshot.artifacts.flatMap((facts) => [...drift(facts), ...stale(facts, snapshot.now)]),
    ...idle(snapshot),
    ...cost(snapshot),
    ...security(snapshot),
    ...snapshot.concepts.flatMap(fallbacks),
    ...firstCompile(snapshot),
  ]
  return ranked
    .toSorted((a, b) => a.priority - b.priority || b.magnitude - a.magnitude || (a.dismissKey < b.dismissKey ? -1 : 1))
    .map(({ magnitude: _magnitude, ...action }) => action)
}

function readiness(facts: NamespaceFacts, now: Date): Ranked[] {
  const { namespace, captures, lastCompiledAt, capturesSinceCompile } = facts
  if (captures < READY_CAPTURES) return []
  const isFresh = lastCompiledAt !== null && daysSince(lastCompiledAt, now) < OLD_DAYS
  if (isFresh && capturesSinceCompile < MANY_CAPTURES) return []
  return [
    action('readiness', namespace, captures, {
      title: `Compile ${namespace}`,
      body: `The namespace ${namespace} has ${captures} captured events: enough for a compile.`,
      ctaLabel: 'Compile',
      ctaHref: '/docs/api#tag/compile/createCompile',
      params: { namespace, captures },
    }),
  ]
}

function drift({ id, name, kScore, earlierKScore }: ArtifactFacts): Ranked[] {
  if (earlierKScore === null) return []
  // Rounded, so that 0.95 - 0.92 is the 0.03 that it looks like.
  const fall = Math.round((earlierKScore - kScore) * 1e6) / 1e6
  if (fall < DRIFT) return []
  return [
    action('drift', id, fall, {
      title: `${name}: the newest version scores lower`,
      body: `Its K-score fell from ${earlierKScore.toFixed(3)} to ${kScore.toFixed(3)}.`,
      ctaLabel: 'Show it',
      ctaHref: `/#/job/${id}`,
      params: { artifact_id: id, fall },
    }),
  ]
}

function stale({ id, name, signedAt, capturesSince }: ArtifactFacts, now: Date): Ranked[] {
  const days = daysSince(signedAt, now)
  if (days < OLD_DAYS || capturesSince < MANY_CAPTURES) return []
  const events = capturesSince < MOST_CAPTURES ? String(capturesSince) : `at least ${MOST_CAPTURES}`
  return [
    action('stale', id, capturesSince, {
      title: `Compile ${name} again`,
      body: `It is ${days} days old; since then, ${events} events were captured.`,
      ctaLabel: 'Show it',
      ctaHref: `/#/job/${id}`,
      params: { artifact_id: id, age_days: days, captures_since: capturesSince },
    }),
  ]
}

function idle({ lastCaptureAt, now }: AccountSnapshot): Ranked[] {
  if (lastCaptureAt === null) return []
  const days = daysSince(lastCaptureAt, now)
  if (days < IDLE_DAYS) return []
  return [
    action('idle', 'global', days, {
      title: 'Capturing has stopped',
      body: `The last event arrived ${days} days ago.`,
      ctaLabel: 'See the sources',
      ctaHref: '/docs/api#tag/accounts/getControlCenter',
      params: { days },
    }),
  ]
}

function cost({ spentUsdMicros, spentBeforeUsdMicros }: AccountSnapshot): Ranked[] {
  if (spentBeforeUsdMicros <= 0) return []
  const ratio = spentUsdMicros / spentBeforeUsdMicros
  if (ratio < OVERSPENT) return []
  const dollars = (micros: number): string => `$${(micros / 1e6).toFixed(2)}`
  return [
    action('cost', 'burn', ratio, {
      title: 'Spending is growing',
      body: `${dollars(spentUsdMicros)} in the last 30 days, ${dollars(spentBeforeUsdMicros)} in the 30 days before.`,
      ctaLabel: 'See the usage',
      ctaHref: '/#/usage',
      params: { ratio: Math.round(ratio * 100) / 100 },
    }),
  ]
}

function security(snapshot: AccountSnapshot): Ranked[] {
  const { personalCaptures, keyAgeDays, keyRotationDays, knownProviderKeys } = snapshot
  const found: Ranked[] = knownProviderKeys.map(({ id, provider }) =>
    action('security', `provider_key:${id}`, 1, {
      title: `Replace the shared key of ${provider}`,
      body: 'A member has left the team since the key was stored.',
      ctaLabel: 'See the account',
      ctaHref: '/#/account',
      params: { provider_key_id: id, provider },
    }),
  )
  if (personalCaptures > 0) {
    found.push(
      action('security', 'pii', personalCaptures, {
        title: 'Personal data is captured',
        body: `Redaction found personal data in ${personalCaptures} events of the last 30 days. The personal data was not stored. Remove it before sending.`,
        ctaLabel: 'See the sources',
        ctaHref: '/docs/api#tag/accounts/getControlCenter',
        params: { captures: personalCaptures },
      }),
    )
  }
  if (keyAgeDays !== null && keyAgeDays >= keyRotationDays) {
    found.push(
      action('security', 'key_age', keyAgeDays, {
        title: 'Rotate the primary key',
        body: `The primary key is ${keyAgeDays} days old.`,
        ctaLabel: 'See the keys',
        ctaHref: '/#/keys',
        params: { age_days: keyAgeDays },
      }),
    )
  }
  return found
}

function fallbacks({ conceptId, name, calls, failures }: ConceptCalls): Ranked[] {
  const share = calls === 0 ? 0 : failures / calls
  if (calls < ENOUGH_CALLS || share < FALLBACK_SHARE) return []
  return [
    action('fallbacks', conceptId, share, {
      title: `${name} often has no answer`,
      body: `${failures} of ${calls} calls of the last 30 days failed.`,
      ctaLabel: 'See the artifacts',
      ctaHref: '/#/artifacts',
      params: { concept_id: conceptId, calls, failures },
    }),
  ]
}

function firstCompile({ artifactCount }: AccountSnapshot): Ranked[] {
  if (artifactCount > 0) return []
  return [
    action('compile', 'first', 0, {
      title: 'Compile your first examples',
      body: 'A few examples of input and output are enough to start.',
      ctaLabel: 'See how',
      ctaHref: '/docs/api#tag/compile/createCompile',
      params: {},
    }),
  ]
}

function action(
  type: ActionType,
  subject: string,
  magnitude: number,
  words: Pick<NextAction, 'title' | 'body' | 'ctaLabel' | 'ctaHref' | 'params'>,
): Ranked {
  return { type, priority: ACTION_PRIORITIES[type], ...words, dismissKey: `${type}:${subject}`, magnitude }
}

/** Whole days between two times. */
export function daysSince(then: Date, now: Date): number {
  return Math.floor((now.getTime() - then.getTime()) / DAY_MS)
}
