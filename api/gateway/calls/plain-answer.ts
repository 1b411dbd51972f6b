import { z } from 'zod'
import { Count } from '../../../core/gateway/dialects/fields.ts'
import { readReply } from '../../../core/gateway/dialects/read-body.ts'
import { usageOf, type Usage } from '../../../core/gateway/exchange/answer.ts'
import type { PlainKind } from '../../../core/gateway/calls/providers.ts'
import type { Json } from '../../../core/kernel/json/json.ts'

const Embeddings = z.looseObject({
  data: z.array(z.looseObject({})),
  usage: z.looseObject({ prompt_tokens: Count }).nullish(),
})
const Moderations = z.looseObject({ results: z.array(z.looseObject({})) })

/** Checks an answer and reads its counts. Throws `ProviderError` `invalid_response`. */
export function readPlainAnswer(kind: PlainKind, body: Json): Usage | null {
  if (kind === 'moderations') {
    readReply(Moderations, body)
    // They are free of charge and not counted.
    return usageOf({})
  }
  const { usage } = readReply(Embeddings, body)
  return usage ? usageOf({ inputTokens: usage.prompt_tokens }) : null
}
