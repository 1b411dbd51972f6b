import { z } from 'zod'
import { KeyView, Prefix, ShownOnce } from './key-view.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'

/** Answer of `POST /v1/account/rotate-key`. */
export const RotateKeyAnswer = z.object({ api_key: ShownOnce, key_prefix: Prefix })

/** Answer of `GET /v1/account/keys`. */
export const ListKeysAnswer = z.object({ keys: z.array(KeyView) })

/** Body of `POST /v1/account/keys`. */
export const CreateKeyBody = z.object({ label: textUpTo(80).nullable().default(null) })

/** Answer of `POST /v1/account/keys`. */
export const CreateKeyAnswer = z.object({
  api_key: ShownOnce,
  key_prefix: Prefix,
  label: z.string().nullable(),
  rotated_primary: z.literal(true),
})

/** Answer of `DELETE /v1/account/keys/{prefix}`. */
export const ReissueKeyAnswer = z.object({
  new_api_key: ShownOnce,
  key_prefix: Prefix,
  replaced_key_id: z.string().nullable(),
  record: KeyView,
})
