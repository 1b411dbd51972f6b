import { z } from 'zod'
import { GivenArtifactId } from '../../../kernel/wire/ids.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { targetOf } from '../../calls/target.ts'
import { GUARDRAIL_MODES, GuardrailRules } from '../guardrails/rules.ts'
import { CLASS_ACTIONS, PRIVACY_POLICIES, SENSITIVE_CLASSES, type PrivacyPolicy } from '../privacy/classes.ts'

/** Treatments of sensitive text: in the stored call, in the text that is sent on, or of the whole call. */
const REDACT_MODES = ['detect_only', 'redact_captures', 'redact_all', 'block'] as const
/** Parts of a call that are kept; the words of `redact_mode` keep everything, redacted accordingly. */
const CAPTURE_MODES = ['off', 'metadata_only', ...REDACT_MODES] as const
/** Ways in which a call finds an own artifact: the named one, or that of the concept that the call is for. */
const ROUTE_MODES = ['static', 'concepts'] as const
/** Treatments of the provider's work when the caller disconnects. */
const WHEN_LEFT = ['cancel', 'drain'] as const
/** Whether a stored call is in the table before its answer is given, or with others a moment later. */
const DURABLE = ['grouped', 'before_answer'] as const

type RedactMode = (typeof REDACT_MODES)[number]

/** The redact modes that a policy allows; the first is in force when none is chosen. */
const MODES_OF: Readonly<Record<PrivacyPolicy, readonly RedactMode[]>> = {
  allow: ['redact_captures', 'detect_only'],
  redact: ['redact_all'],
  review_required: ['redact_all'],
  block: ['block'],
}
const POLICY_OF: Readonly<Record<RedactMode, PrivacyPolicy>> = {
  detect_only: 'allow',
  redact_captures: 'allow',
  redact_all: 'redact',
  block: 'block',
}

const MOST_TARGETS = 16
const MOST_TERMS = 500
const MOST_BUDGET_USD = 1_000_000_000

/** One entry of a chain: `provider:model`, or a model's name that tells its provider. */
const ChainEntry = z
  .string()
  .max(300)
  .superRefine((entry, context) => {
    const message = entry.startsWith('local:')
      ? 'names an artifact; set artifact_id, which answers before all models'
      : problemOf(entry)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

/** Why an entry names no target; null for one that does. */
function problemOf(entry: string): string | null {
  try {
    targetOf(entry)
    return null
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^model: /, '') : String(error)
  }
}

/** The entries of a stored chain that name a target. */
export function knownTargets(chain: readonly string[]): string[] {
  return chain.filter((entry) => problemOf(entry) === null)
}

const FIELDS = {
  display_name: textUpTo(128).nullable().meta({ description: 'For people' }),
  description: textUpTo(512).nullable(),
  capture_mode: z.enum(CAPTURE_MODES).meta({
    description: '`off`: nothing is kept; `metadata_only`: no text; otherwise the word of `redact_mode`',
  }),
  redact_mode: z.enum(REDACT_MODES).meta({
    description:
      '`detect_only` reports, `redact_captures` redacts what is kept (both with the policy `allow`), `redact_all` also what is sent, `block` refuses',
  }),
  privacy_policy: z.enum(PRIVACY_POLICIES).meta({
    description:
      '`redact`: providers get placeholders; `review_required`: so, and the capture waits for a review; `block`: such calls are refused; `allow`: they are sent as they are',
  }),
  class_actions: z.partialRecord(z.enum(SENSITIVE_CLASSES), z.enum(CLASS_ACTIONS)).meta({
    description: 'For single classes, in place of the policy: `allow`, `redact` or `block`',
  }),
  proprietary_terms: z.array(textUpTo(128)).max(MOST_TERMS).meta({
    description: 'Words and phrases that count as sensitive, whatever their case',
  }),
  guardrails: GuardrailRules,
  guardrail_mode: z.enum(GUARDRAIL_MODES).meta({ description: 'What a suspected prompt injection leads to' }),
  route_chain: z.array(ChainEntry).max(MOST_TARGETS).meta({
    description: 'Models that answer when the first fails, in order. An own artifact is set by `artifact_id`',
  }),
  route_mode: z.enum(ROUTE_MODES).meta({
    description:
      '`static`: the artifact of `artifact_id` answers first; `concepts`: without one, the artifact of the concept that a call is for',
  }),
  confidence_threshold: z.number().min(0).max(1).meta({
    description: 'Below it, an own artifact does not answer; with `route_mode: concepts` it holds for the concept too',
  }),
  cache_mode: z.enum(['off', 'exact']),
  artifact_id: GivenArtifactId.nullable().meta({ description: 'The artifact that answers first' }),
  when_left: z.enum(WHEN_LEFT).meta({
    description: 'When the caller leaves: `cancel` ends the work of the provider, `drain` reads its answer to the end',
  }),
  durable: z.enum(DURABLE).meta({
    description: '`before_answer`: a call is in the table before it is answered; `grouped`: a moment later',
  }),
  budget_usd_month: z.number().min(0).max(MOST_BUDGET_USD).nullable().meta({
    description: 'US dollars that calls may cost at providers in a calendar month (UTC); null for no bound',
  }),
} as const

/** Settings of a namespace, each with a value. */
export const NamespaceSettings = z.strictObject(FIELDS).meta({ id: 'NamespaceSettings' })
/** Settings of a namespace. */
export type NamespaceSettings = Readonly<z.output<typeof NamespaceSettings>>

/** Settings of a namespace for which none are stored. */
export const DEFAULT_SETTINGS: NamespaceSettings = {
  display_name: null,
  description: null,
  capture_mode: 'redact_all',
  redact_mode: 'redact_all',
  privacy_policy: 'redact',
  class_actions: {},
  proprietary_terms: [],
  guardrails: [],
  guardrail_mode: 'detect_only',
  route_chain: [],
  route_mode: 'static',
  confidence_threshold: 0.7,
  cache_mode: 'off',
  artifact_id: null,
  when_left: 'cancel',
  durable: 'grouped',
  budget_usd_month: null,
}

/** Settings as a caller gives them; absent ones get the defaults, see `completed`. */
export const GivenSettings = z
  .strictObject(FIELDS)
  .partial()
  .superRefine((given, context) => {
    for (const [field, message] of contradictionsIn(completed(given))) {
      context.addIssue({ code: 'custom', path: [field], message })
    }
  })
  .meta({
    id: 'NamespaceSettingsInput',
    example: { privacy_policy: 'redact', when_left: 'drain', budget_usd_month: 50 },
  })

type Given = { readonly [N in keyof NamespaceSettings]?: NamespaceSettings[N] | undefined }

/** Completes settings by the defaults; where two settings must agree, the default follows the one that is given. */
export function completed(given: Given): NamespaceSettings {
  const chosen = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<NamespaceSettings>
  const policy = chosen.privacy_policy ?? (chosen.redact_mode && POLICY_OF[chosen.redact_mode]) ?? 'redact'
  const redactMode = chosen.redact_mode ?? MODES_OF[policy][0] ?? 'redact_all'
  return {
    ...DEFAULT_SETTINGS,
    privacy_policy: policy,
    redact_mode: redactMode,
    capture_mode: redactMode,
    ...chosen,
  }
}

/** Settings that no call can follow together: the field to change, and why. */
function contradictionsIn(settings: NamespaceSettings): readonly (readonly [field: string, message: string])[] {
  const { privacy_policy, redact_mode, capture_mode, cache_mode, durable, class_actions } = settings
  const found: (readonly [string, string])[] = []
  if (!MODES_OF[privacy_policy].includes(redact_mode)) {
    found.push(['redact_mode', `must be ${MODES_OF[privacy_policy].join(' or ')} with the policy ${privacy_policy}`])
  }
  const keepsNothing = capture_mode === 'off'
  if (!keepsNothing && capture_mode !== 'metadata_only' && capture_mode !== redact_mode) {
    found.push(['capture_mode', `must be off, metadata_only or ${redact_mode}, as redact_mode is`])
  }
  if (durable === 'before_answer' && keepsNothing) {
    found.push(['durable', 'must be grouped when nothing is kept (capture_mode is off)'])
  }
  if (privacy_policy === 'review_required' && (keepsNothing || capture_mode === 'metadata_only')) {
    found.push(['capture_mode', 'must keep the text that the policy review_required asks to review'])
  }
  if (cache_mode === 'exact' && keepsNothing) {
    found.push(['cache_mode', 'must be off when nothing is kept (capture_mode is off)'])
  }
  const laxer = Object.entries(class_actions).filter(([name, action]) => name === 'forgotten' && action === 'allow')
  if (laxer.length > 0) found.push(['class_actions', 'forgotten must not be allow: the forgotten is never sent'])
  return found
}
