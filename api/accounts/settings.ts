import { DEFAULT_SETTINGS, SETTING_NAMES, SettingsPatch } from '../../core/accounts/settings.ts'
import { readSettings, updateSettings } from '../../db/accounts/tenants/settings.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { GetSettingsAnswer, UpdateSettingsAnswer } from '../../core/accounts/wire/settings.ts'
import { defineRoute } from './services.ts'

export const getSettingsRoute = defineRoute({
  method: 'get',
  path: '/v1/account/settings',
  operationId: 'getSettings',
  group: 'accounts',
  summary: 'Show the settings and their defaults',
  auth: 'key',
  scope: 'account:read',
  namespace: 'refused',
  answers: {
    200: envelope('What holds, and what held without a choice', GetSettingsAnswer),
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
  description: 'Settings that are absent keep their values; unknown members are ignored.',
  auth: 'key',
  scope: 'account:write',
  namespace: 'refused',
  stores: 'bounded',
  body: SettingsPatch,
  fieldCodes: Object.fromEntries(SETTING_NAMES.map((name) => [name, 'invalid_value' as const])),
  answers: {
    200: envelope('The settings as they hold now', UpdateSettingsAnswer),
  },
  errors: ['invalid_value'],
}).handle(async ({ op, body }) => {
  const { settings, updated } = await updateSettings(op, body)
  return { status: 200, body: { settings, updated_fields: [...updated] } }
})
