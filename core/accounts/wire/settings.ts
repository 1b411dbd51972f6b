import { z } from 'zod'
import { AccountSettings } from '../settings.ts'

/** Answer of `GET /v1/account/settings`. */
export const GetSettingsAnswer = z.object({ settings: AccountSettings, defaults: AccountSettings })

/** Answer of `PUT /v1/account/settings`. */
export const UpdateSettingsAnswer = z.object({
  settings: AccountSettings,
  updated_fields: z.array(z.string()).meta({ description: 'The changed settings' }),
})
