import { z } from 'zod'
import { AccountSettings, DEFAULT_SETTINGS, SETTING_NAMES, SettingsPatch } from '../../core/accounts/settings.ts'
import { readSettings, updateSettings } from '../../db/accounts/tenants/settings.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { defineRoute } from '../kernel/route.ts'

export const getSettingsRoute = defineRoute({
  method: 'get',
  path: '/v1/account/settings',
  operationId: 'getSettings',
  group: 'accounts',
  summary: 'The own settings, over the defaults',
  auth: 'key',
  scope: 'account:read',
  namespace: 'refused',
  answers: {
    200: envelope(
      'What holds, and what held without a choice',
      z.object({ settings: AccountSettings, defaults: AccountSettings }),
    ),
  },
}).handle(async ({ op }) => ({
  status: 200,
  body: { settings: await readSettings(op), defaults: DEFAULT_SETTINGS },
}))

export const updateSettingsRoute = defineRoute({
  method: 'put',
  path: '/v1/account/settings',
  operationId: 'updateSettings',
  group: 'accounts',
  summary: 'Change settings',
  description: 'Settings that are not named stay as they are; members that are no setting are passed over.',
  auth: 'key',
  scope: 'account:write',
  namespace: 'refused',
  stores: 'bounded',
  body: SettingsPatch,
  fieldCodes: Object.fromEntries(SETTING_NAMES.map((name) => [name, 'invalid_value' as const])),
  answers: {
    200: envelope(
      'The settings as they hold now',
      z.object({
        settings: AccountSettings,
        updated_fields: z.array(z.string()).meta({ description: 'The settings that have another value now' }),
      }),
    ),
  },
  errors: ['invalid_value'],
}).handle(async ({ op, body }) => {
  const { settings, updated } = await updateSettings(op, body)
  return { status: 200, body: { settings, updated_fields: [...updated] } }
})
