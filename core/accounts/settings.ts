import { z } from 'zod'
import type { Json, JsonObject } from '../kernel/json/json.ts'

const LEVELS = ['strict', 'balanced', 'minimal'] as const

const flag = (description: string) => z.boolean({ error: 'must be true or false' }).meta({ description })

/** The settings that a tenant chooses for itself. */
export const AccountSettings = z
  .object({
    default_namespace: z
      .string({ error: 'must be a text' })
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, {
        error: 'must be a slug: lower-case letters, digits and hyphens, at most 63, not a hyphen first',
      })
      .meta({ description: 'Namespace of captured events that name none' }),
    notifications_email: flag(
      'Whether mails on the quota are sent; those on payments and on the account are sent in any case',
    ),
    notifications_webpush: flag('Kept for clients: nothing is pushed yet'),
    redaction_strictness: z
      .enum(LEVELS, { error: `must be one of ${LEVELS.join(', ')}` })
      .meta({ description: 'Kept for clients: captured events are always redacted strictly' }),
    sync_push_enabled: flag('Kept for clients: nothing is pushed to devices yet'),
    key_rotation_warning_days: z
      .int({ error: 'must be a whole number' })
      .min(1, { error: 'must be at least 1' })
      .max(3650, { error: 'must be at most 3650' })
      .meta({ description: 'Age at which the account’s state proposes to rotate the primary key' }),
    locale: z
      .string({ error: 'must be a text' })
      .refine((text) => canonicalLocale(text) !== undefined, {
        error: 'must be a language tag (BCP 47), such as en-US',
      })
      .overwrite((text) => canonicalLocale(text) ?? text)
      .meta({
        description:
          'Language tag (BCP 47) by which the console writes numbers and times; the default leaves it to the browser',
      }),
    timezone: z
      .string({ error: 'must be a text' })
      .refine(isTimeZone, { error: 'must be a time zone of the IANA database, such as Europe/Berlin' })
      .meta({
        description:
          'IANA time zone in which the console shows times; the default leaves it to the browser. The service counts in UTC',
      }),
    capture_default_durable: flag('Kept for clients: captured events are always kept durably'),
  })
  .meta({ id: 'AccountSettings', description: 'Settings of a tenant' })
export type AccountSettings = z.infer<typeof AccountSettings>

/** Values of the settings that a tenant has not set. */
export const DEFAULT_SETTINGS: AccountSettings = {
  default_namespace: 'default',
  notifications_email: true,
  notifications_webpush: false,
  redaction_strictness: 'strict',
  sync_push_enabled: true,
  key_rotation_warning_days: 90,
  locale: 'en-US',
  timezone: 'UTC',
  capture_default_durable: true,
}

/** Their names. */
export const SETTING_NAMES = AccountSettings.keyof().options

/** A change of some settings. Unknown members are ignored. */
export const SettingsPatch = AccountSettings.partial().meta({ id: 'AccountSettingsPatch' })
export type SettingsPatch = z.infer<typeof SettingsPatch>

/** Returns the stored settings over the defaults. A stored value that current rules refuse counts as not set. */
export function settingsOf(stored: JsonObject): AccountSettings {
  const chosen = SETTING_NAMES.flatMap((name) => {
    const value = AccountSettings.shape[name].safeParse(stored[name])
    return value.success ? [[name, value.data]] : []
  })
  return AccountSettings.parse({ ...DEFAULT_SETTINGS, ...Object.fromEntries(chosen) })
}

/** Returns the settings that a patch changes, with old and new values. */
export function changesBy(
  patch: SettingsPatch,
  before: AccountSettings,
): ReadonlyMap<string, { from: Json; to: Json }> {
  const changes = new Map<string, { from: Json; to: Json }>()
  for (const name of SETTING_NAMES) {
    const to = patch[name]
    if (to !== undefined && to !== before[name]) changes.set(name, { from: before[name], to })
  }
  return changes
}

function canonicalLocale(text: string): string | undefined {
  if (text.length > 35) return undefined
  try {
    return new Intl.Locale(text).toString()
  } catch {
    return undefined
  }
}

/** An offset such as `+01:00` is not a time zone: it has no daylight saving time. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
