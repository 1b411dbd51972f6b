import { z } from 'zod'
import {
  ConversationId,
  ConversationsAnswer,
  ConversationsQuery,
  ConversationView,
  DeleteConversationAnswer,
  SaveConversationAnswer,
  SaveConversationBody,
} from '../../../core/gateway/wire/assist/conversations.ts'
import { parseInstant } from '../../../core/kernel/wire/since.ts'
import { DEFAULT_NAMESPACE } from '../../../db/billing/usage/charged-to.ts'
import { deleteConversation } from '../../../db/gateway/conversations/erase-conversations.ts'
import {
  findConversation,
  listConversations,
  type ListedConversation,
} from '../../../db/gateway/conversations/read-conversations.ts'
import { saveConversation } from '../../../db/gateway/conversations/save-conversation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { rulesIn } from '../captures/recording/record.ts'
import { defineRoute } from '../services.ts'

const Params = z.object({ conversation_id: ConversationId })

export const listConversationsRoute = defineRoute({
  method: 'get',
  path: '/v1/conversations',
  operationId: 'listConversations',
  group: 'conversations',
  summary: 'List stored conversations, the last changed first',
  description:
    'To keep a device up to date, ask for what changed `since` the greatest `updated_at` that it has seen: each write has a greater one than all before it. Deleted conversations are then listed with `deleted: true`, for some months.',
  auth: 'key',
  scope: 'conversations:read',
  namespace: 'refused',
  query: ConversationsQuery,
  answers: { 200: envelope('A page', ConversationsAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query: { since, ...query } }) => {
  const page = await listConversations(op, { ...query, since: since === undefined ? undefined : parseInstant(since) })
  return {
    status: 200,
    body: {
      conversations: page.items.map((each) => presentListed(each)),
      count: page.items.length,
      next_cursor: page.nextCursor,
    },
  }
})

export const saveConversationRoute = defineRoute({
  method: 'post',
  path: '/v1/conversations',
  operationId: 'saveConversation',
  group: 'conversations',
  summary: 'Save a conversation',
  description: (limits) =>
    `Saves it as a whole: at most ${limits.conversation_messages} messages of ${limits.conversation_message_bytes} bytes each. With a \`conversation_id\` it takes the place of the stored one; ids belong to the account, and the same id of another account is another conversation. Of two writes the one with the later \`updated_at\` stays, whichever comes first: an older one is refused with 409 \`conversation_outdated\`, also after a deletion. Texts are redacted before they are stored, or refused with 451, as the settings of the namespace \`default\` say; what the account has forgotten is always replaced.`,
  auth: 'key',
  scope: 'conversations:write',
  namespace: 'refused',
  idempotency: 'kernel',
  stores: 'records',
  body: SaveConversationBody,
  fieldCodes: { model: 'model_required', messages: 'invalid_messages' },
  answers: { 200: envelope('Saved', SaveConversationAnswer) },
  errors: [
    'model_required',
    'invalid_messages',
    'conversation_outdated',
    'privacy_blocked',
    'limit_reached',
    'too_many_messages',
    'message_too_large',
  ],
}).handle(async ({ op, services, body }) => {
  const rulesOf = async (isAgain: boolean) =>
    await rulesIn(services, { tenantId: op.tenantId, namespace: DEFAULT_NAMESPACE }, isAgain)
  const { limits } = services
  const { id, updatedAt, messageCount } = await saveConversation(op, { body, rulesOf, limits })
  return {
    status: 200,
    body: { conversation_id: id, updated_at: updatedAt.toISOString(), message_count: messageCount },
  }
})

export const getConversationRoute = defineRoute({
  method: 'get',
  path: '/v1/conversations/{conversation_id}',
  operationId: 'getConversation',
  group: 'conversations',
  summary: 'Read a conversation',
  auth: 'key',
  scope: 'conversations:read',
  namespace: 'refused',
  params: Params,
  answers: { 200: envelope('The conversation with its messages', ConversationView) },
}).handle(async ({ op, params }) => {
  const found = await findConversation(op, params.conversation_id)
  return {
    status: 200,
    body: {
      conversation_id: found.id,
      title: found.title,
      model: found.model,
      device: found.device,
      messages: found.messages.map(({ role, content, ts }) => ({ role, content, ...(ts !== undefined && { ts }) })),
      message_count: found.messageCount,
      created_at: found.createdAt.toISOString(),
      updated_at: found.updatedAt.toISOString(),
      client_updated_at: found.clientUpdatedAt.toISOString(),
    },
  }
})

export const deleteConversationRoute = defineRoute({
  method: 'delete',
  path: '/v1/conversations/{conversation_id}',
  operationId: 'deleteConversation',
  group: 'conversations',
  summary: 'Delete a conversation',
  description:
    'Its texts are erased at once. Its id stays for some months, so that other devices learn of the deletion. Deleting it again answers the same.',
  auth: 'key',
  scope: 'conversations:write',
  namespace: 'refused',
  params: Params,
  answers: { 200: envelope('Deleted', DeleteConversationAnswer) },
}).handle(async ({ op, params: { conversation_id: id } }) => {
  await deleteConversation(op, id)
  return { status: 200, body: { conversation_id: id, deleted: true } }
})

function presentListed(listed: ListedConversation): z.input<typeof ConversationsAnswer>['conversations'][number] {
  return {
    conversation_id: listed.id,
    title: listed.title,
    model: listed.model,
    message_count: listed.messageCount,
    preview: listed.preview,
    updated_at: listed.updatedAt.toISOString(),
    client_updated_at: listed.clientUpdatedAt.toISOString(),
    deleted: listed.deletedAt !== null,
  }
}
