import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { CallRules } from '../../../core/gateway/captures/recording/record-call.ts'
import { textsUnder } from '../../../core/gateway/captures/recording/redact-texts.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import type { SensitiveClass } from '../../../core/gateway/gate/privacy/classes.ts'
import type { Limits } from '../../../core/gateway/limits.ts'
import {
  PREVIEW_CHARS,
  TITLE_CHARS,
  type ConversationMessage,
  type SaveConversationBody,
} from '../../../core/gateway/wire/assist/conversations.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { enterWithTerms, withKnownTerms } from '../forgotten/known-terms.ts'
import { enterConversations } from './enter-conversations.ts'

/** A conversation that was saved. */
export interface SavedConversation {
  readonly id: string
  readonly updatedAt: Date
  readonly messageCount: number
}

/** The most that the clock of a client may be ahead: later times would win over every other device. */
const MOST_AHEAD_MS = 5 * 60_000

/**
 * Saves a whole conversation, over the one of the same id. Of two writes the one with the later time of its client wins; at the
 * same time the one that comes last. Texts are redacted as the settings say before they are stored. Throws `privacy_blocked` where these block,
 * `conversation_outdated` when a newer one is stored or was deleted, `too_many_messages`, `message_too_large`,
 * `validation_failed` for a time in the future, `limit_reached`, and `invalid_credential` for a tenant that was deleted.
 */
export async function saveConversation(
  op: Operation,
  {
    body,
    rulesOf,
    limits,
  }: {
    readonly body: SaveConversationBody
    /** Returns the rules for what is stored; `isAgain`: read anew. */
    readonly rulesOf: (isAgain: boolean) => Promise<CallRules>
    readonly limits: Limits
  },
): Promise<SavedConversation> {
  requireBounds(body.messages, limits)
  const now = op.now()
  const clientUpdatedAt = body.updated_at === undefined ? now : new Date(body.updated_at)
  if (clientUpdatedAt.getTime() > now.getTime() + MOST_AHEAD_MS) {
    throw invalidField('updated_at', `lies in the future: the time of the server is ${now.toISOString()}`)
  }
  const id = body.conversation_id ?? newId('cv')
  return await withKnownTerms(async (isAgain) => {
    const rules = await rulesOf(isAgain)
    const row = rowOf(body, rules)
    return await write(op, { id, row, rules, limits, now, clientUpdatedAt })
  })
}

/** A conversation that was redacted by rules. */
interface RedactedConversation {
  readonly id: string
  readonly row: ReturnType<typeof rowOf>
  readonly rules: CallRules
  readonly limits: Limits
  readonly now: Date
  readonly clientUpdatedAt: Date
}

async function write(
  op: Operation,
  { id, row, rules, limits, now, clientUpdatedAt }: RedactedConversation,
): Promise<SavedConversation> {
  return await op.write(async (tx) => {
    // A workspace under merge takes none: the merge would miss it.
    await requireLiveTenant(tx, op.tenantId)
    const updatedAt = await enterConversations(tx, op)
    await enterWithTerms(tx, op.tenantId, rules.forgotten)
    const stored = await tx.q
      .selectFrom('conversations')
      .select(['client_updated_at as clientUpdatedAt', 'deleted_at as deletedAt', 'size_bytes as sizeBytes'])
      .where('tenant_id', '=', op.tenantId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (stored !== undefined && stored.clientUpdatedAt > clientUpdatedAt) {
      const what = stored.deletedAt === null ? 'a newer version of it is stored' : 'it was deleted since'
      throw invalidOutdated(`conversation_id: ${what}`, stored)
    }
    await requireRoom(tx, op, {
      added: row.size_bytes - (stored?.sizeBytes ?? 0),
      isNew: stored === undefined || stored.deletedAt !== null,
      limits,
    })
    const changed = {
      ...row,
      messages: json(row.messages),
      updated_at: updatedAt,
      client_updated_at: clientUpdatedAt,
      deleted_at: null,
    }
    await tx.q
      .insertInto('conversations')
      .values({ tenant_id: op.tenantId, id, created_at: now, ...changed })
      .onConflict((on) => on.columns(['tenant_id', 'id']).doUpdateSet(changed))
      .execute()
    return { id, updatedAt, messageCount: row.message_count }
  })
}

function invalidOutdated(message: string, stored: { readonly clientUpdatedAt: Date; readonly deletedAt: Date | null }) {
  return GATEWAY_ERRORS.conversation_outdated(message, {
    details: {
      fields: [{ field: 'updated_at', message: `must not be before ${stored.clientUpdatedAt.toISOString()}` }],
      client_updated_at: stored.clientUpdatedAt.toISOString(),
      deleted: stored.deletedAt !== null,
    },
  })
}

function requireBounds(messages: readonly ConversationMessage[], limits: Limits): void {
  const { conversation_messages: most, conversation_message_bytes: mostBytes } = limits
  if (messages.length > most) {
    throw invalidField('messages', `holds more than ${most} messages`, GATEWAY_ERRORS.too_many_messages)
  }
  const long = messages.findIndex(({ content }) => Buffer.byteLength(content) > mostBytes)
  if (long !== -1) {
    throw invalidField(
      `messages.${long}.content`,
      `is longer than ${mostBytes} bytes`,
      GATEWAY_ERRORS.message_too_large,
    )
  }
}

/** Columns of the texts. */
function rowOf(
  { title: givenTitle, model: givenModel, device: givenDevice, messages }: SaveConversationBody,
  rules: CallRules,
) {
  const given = [...messages.map(({ content }) => content), givenTitle ?? '', givenDevice ?? '']
  const contents = textsUnder(given, rules, 'messages')
  const [title = '', device = ''] = contents.slice(messages.length)
  // The name of a model may look like that of a host.
  const actionOf = (kind: SensitiveClass) => (kind === 'forgotten' ? 'redact' : 'allow')
  const [model = ''] = textsUnder([givenModel], { terms: rules.terms, actionOf }, 'model')
  const kept = messages.map(({ role, ts }, i) => ({
    role,
    content: contents[i] ?? '',
    ...(ts !== undefined && { ts }),
  }))
  const first = kept.find(({ role }) => role === 'user') ?? kept[0]
  return {
    title: begin(givenTitle === undefined ? (first?.content ?? '') : title, TITLE_CHARS),
    model,
    device: givenDevice === undefined ? null : device,
    messages: kept,
    message_count: kept.length,
    size_bytes: Buffer.byteLength(JSON.stringify(kept)),
    preview: begin(kept.at(-1)?.content ?? '', PREVIEW_CHARS),
  }
}

/** The first characters of a text, on one line. */
function begin(text: string, most: number): string {
  const line = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return (line.length > most ? `${line.slice(0, most - 1)}…` : line).toWellFormed()
}

async function requireRoom(
  tx: Transaction,
  { tenantId }: Operation,
  { added, isNew, limits }: { readonly added: number; readonly isNew: boolean; readonly limits: Limits },
): Promise<void> {
  const { conversations_per_tenant: most, conversation_bytes_per_tenant: mostBytes } = limits
  const kept = await tx.q
    .selectFrom('conversations')
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.sum<number | null>('size_bytes').as('bytes')])
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (isNew && (kept?.count ?? 0) >= most) {
    throw ACCOUNTS_ERRORS.limit_reached(`${most} conversations are stored already; delete some`, {
      details: { max: most },
    })
  }
  if (added > 0 && Number(kept?.bytes ?? 0) + added > mostBytes) {
    throw ACCOUNTS_ERRORS.limit_reached(
      `the stored conversations would hold more than ${mostBytes} bytes; delete some`,
      { details: { max_bytes: mostBytes } },
    )
  }
}
