import { z } from 'zod'

/** Body of `POST /v1/account/delete`. */
export const DeleteAccountBody = z.object({
  confirm: z.string().max(200).meta({ description: '`DELETE` and the exact name of the account' }),
})

/** Answer of `POST /v1/account/delete`. */
export const DeleteAccountAnswer = z.object({ deleted_at: z.iso.datetime() })
