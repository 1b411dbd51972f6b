import { z } from 'zod'

/** The name of a model. */
export const ModelName = z.string().min(1).max(256).meta({
  description: '`provider:model`, `provider/model`, or the name alone where it tells its provider',
  example: 'gpt-4o-mini',
})

/** The body of chat completions. */
export const ChatBody = z
  .looseObject({
    model: ModelName,
    messages: z
      .array(z.looseObject({ role: z.string() }))
      .min(1)
      .meta({ description: 'As in chat completions' }),
    stream: z.boolean().nullish().meta({ description: 'Answers with server-sent events' }),
    accelerated: z.literal(false).optional().meta({ description: 'Accelerated inference is not available' }),
  })
  .meta({
    id: 'ChatCompletionRequest',
    example: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where is my parcel?' }] },
  })

/** A completion. */
export const ChatAnswer = z
  .looseObject({ choices: z.array(z.looseObject({})) })
  .meta({ id: 'ChatCompletion', description: 'As in chat completions' })

/** The body of messages. */
export const MessageBody = z
  .looseObject({
    model: ModelName,
    max_tokens: z.int().min(1),
    messages: z
      .array(z.looseObject({ role: z.string() }))
      .min(1)
      .meta({ description: 'As in messages' }),
    stream: z.boolean().optional().meta({ description: 'Answers with server-sent events' }),
  })
  .meta({
    id: 'MessageRequest',
    example: {
      model: 'claude-haiku-4-5',
      max_tokens: 64,
      messages: [{ role: 'user', content: 'Where is my parcel?' }],
    },
  })

/** A message. */
export const MessageAnswer = z
  .looseObject({ content: z.array(z.looseObject({})) })
  .meta({ id: 'Message', description: 'As in messages' })
