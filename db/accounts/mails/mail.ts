import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { bytes, document, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A queued, sent or failed mail. */
export const MailEntity = defineTable({
  name: 'Mail',
  tableName: 'mails',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').nullable().deleteRule('no action'),
    recipient: p.text(),
    template: p.text(),
    /** The template's parameters; they may hold a token, so they are erased when the mail is sent. */
    sealedParams: bytes().nullable(),
    state: p.enum(['queued', 'sent', 'failed'] as const),
    attempts: p.integer(),
    errorCode: p.text().nullable(),
    createdAt: instant(),
    sentAt: instant().nullable(),
    /** For a queued mail: when the reconciler starts its workflow again; null before the first time. */
    lookAt: instant().nullable(),
  },
  indexes: [
    { properties: ['tenantId'] },
    { properties: ['createdAt'] },
    { name: 'mails_queued', properties: ['createdAt'], where: "state = 'queued'" },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has no address' },
    purge: 'goes',
    export: {
      section: 'mails',
      key: ['id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        recipient: true,
        template: true,
        sealedParams: 'holds the tokens of links',
        state: true,
        attempts: 'working state of the delivery',
        errorCode: true,
        createdAt: true,
        sentAt: true,
        lookAt: 'when the reconciler checks its workflow again',
      },
    },
    sealed: { sealedParams: { purpose: `'mail'` } },
    sweeps: [{ name: 'mails', summary: 'Remove old mails', by: 'createdAt', only: "state <> 'queued'", keptDays: 30 }],
  },
})

/** A token mailed to an address: using it proves, once, that its holder reads that mail. */
export const MailTokenEntity = defineTable({
  name: 'MailToken',
  tableName: 'mail_tokens',
  properties: {
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: bytes().primary(),
    purpose: p.enum(['verify', 'sign_in', 'recover', 'claim'] as const),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').nullable().deleteRule('no action'),
    email: p.text(),
    payload: document<JsonObject>(),
    createdAt: instant(),
    expiresAt: instant(),
    usedAt: instant().nullable(),
  },
  indexes: [{ properties: ['expiresAt'] }, { properties: ['tenantId'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has no address' },
    purge: 'goes',
    export: { leftOut: 'secrets of mails that are under way' },
    sweeps: [{ name: 'mailTokens', summary: 'Remove old mail tokens', by: 'expiresAt', keptDays: 7 }],
  },
})
