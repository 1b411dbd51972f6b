import { z } from 'zod'
import { INSTANT, parseInstant } from '../../../kernel/wire/since.ts'
import { NextCursor, pageQuery } from '../../../kernel/wire/page.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'

/** The form of a conversation's id: a client may choose its own. */
const CONVERSATION_ID = /^cv_[0-9a-z]{8,61}$/
/** Longest title, in characters. */
export const TITLE_CHARS = 80
/** Longest preview, in characters. */
export const PREVIEW_CHARS = 120

/** Speakers in a conversation. */
export const CONVERSATION_ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

/** The id of a conversation in a path. */
export const ConversationId = z
  .string()
  .regex(CONVERSATION_ID, { error: 'is not an id of the form cv_…' })
  .meta({ description: 'Id of a conversation', example: 'cv_0123456789abcdefghjkmnpqrs' })

const Instant = (description: string) =>
  z.iso.datetime({ offset: true, error: 'must be a time in ISO 8601, such as 2026-05-01T09:30:00Z' }).meta({
    description,
    example: '2026-05-01T09:30:00Z',
  })

const ConversationMessage = z
  .object({
    role: z.enum(CONVERSATION_ROLES, { error: `must be one of ${CONVERSATION_ROLES.join(', ')}` }),
    content: z
      .string({ error: 'must be a text' })
      .regex(new RegExp(String.raw`^[^\u0000]*$`), { error: 'must not hold the character U+0000' }),
    ts: Instant('When it was said').optional(),
  })
  .meta({ id: 'ConversationMessage' })
/** One message. */
export type ConversationMessage = z.infer<typeof ConversationMessage>

/** The body that saves a conversation. */
export const SaveConversationBody = z
  .object({
    conversation_id: ConversationId.optional().meta({
      description: 'Saves this conversation of yours, as a whole; a new one when absent',
    }),
    title: textUpTo(TITLE_CHARS)
      .optional()
      .meta({ description: 'The beginning of the first user message when absent' }),
    model: textUpTo(256).meta({ description: 'The model that was talked to', example: 'gpt-4o-mini' }),
    messages: z
      .array(ConversationMessage, { error: 'must be a list of messages' })
      .min(1, { error: 'holds no message' })
      .meta({ example: [{ role: 'user', content: 'Where is my parcel?' }] }),
    device: textUpTo(128).optional().meta({ description: 'Where it was written, for the reader' }),
    updated_at: Instant('When the client last changed it; now when absent').optional(),
  })
  .meta({
    id: 'SaveConversation',
    example: {
      model: 'gpt-4o-mini',
      messages: [
        { role: 'user', content: 'Where is my parcel?' },
        { role: 'assistant', content: 'It arrives tomorrow.' },
      ],
    },
  })
/** The body that saves a conversation. */
export type SaveConversationBody = z.infer<typeof SaveConversationBody>

/** The answer to a saved conversation. */
export const SaveConversationAnswer = z.object({
  conversation_id: z.string(),
  updated_at: z.iso.datetime().meta({ description: "The server's time, which `since` compares with" }),
  message_count: z.int(),
})

/** The query of conversations. */
export const ConversationsQuery = pageQuery(50, 200).extend({
  model: z.string().min(1).max(256).optional(),
  since: z
    .string()
    .max(40)
    .refine((text) => parseInstant(text) !== undefined, {
      error: 'must be a time in ISO 8601 or in milliseconds since 1970',
    })
    .optional()
    .meta({
      description: 'Only what changed after this time of the server, deletions as well',
      override: { type: 'string', pattern: INSTANT.source },
      example: '2026-05-01T09:30:00Z',
    }),
})

const ConversationSummary = z
  .object({
    conversation_id: z.string(),
    title: z.string(),
    model: z.string(),
    message_count: z.int(),
    preview: z.string().meta({ description: 'The beginning of the last message' }),
    updated_at: z.iso.datetime(),
    client_updated_at: z.iso.datetime(),
    deleted: z.boolean().meta({ description: 'True for a deleted one, whose texts are erased; only with `since`' }),
  })
  .meta({ id: 'ConversationSummary' })

/** A page of conversations. */
export const ConversationsAnswer = z.object({
  conversations: z.array(ConversationSummary),
  count: z.int().meta({ description: 'Conversations of this page' }),
  next_cursor: NextCursor,
})

/** A whole conversation. */
export const ConversationView = z.object({
  conversation_id: z.string(),
  title: z.string(),
  model: z.string(),
  device: z.string().nullable(),
  messages: z.array(ConversationMessage),
  message_count: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  client_updated_at: z.iso.datetime(),
})

/** The answer to a deleted conversation. */
export const DeleteConversationAnswer = z.object({ conversation_id: z.string(), deleted: z.literal(true) })
