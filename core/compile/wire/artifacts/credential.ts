import { z } from 'zod'
import { AnyJson } from '../../../ledger/wire/fields.ts'
import { Credential } from '../../artifacts/credential/credential.ts'

/** Answer of `GET /v1/artifacts/{id}/credential`. */
export const GetCredentialAnswer = z.object({ credential: Credential })

/** Body of `POST /v1/credential/verify`. */
export const VerifyCredentialBody = z.object({
  credential: z.record(z.string(), AnyJson).meta({ description: 'The credential as it was issued' }),
})

/** Answer of `POST /v1/credential/verify`. */
export const VerifyCredentialAnswer = z.object({
  valid: z.boolean(),
  reason: z.string().optional().meta({ description: 'The first of `reasons`; absent when it is valid' }),
  spec: z.string().meta({ description: 'As the credential states it' }),
  type: z.string().meta({ description: 'As the credential states it' }),
  reasons: z.array(z.string()).meta({ description: 'Why it is not valid, such as `artifact_revoked`' }),
  checks: z.record(z.string(), z.boolean()),
  artifact_id: z.string().optional(),
  artifact_hash: z.string().optional(),
  cid: z.string().optional(),
  k_score: z.number().optional(),
  state: z.string().optional().meta({ description: 'State of the artifact, where both signatures are right' }),
})
