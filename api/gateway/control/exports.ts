import { z } from 'zod'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { ExportDeclaration } from '../../../db/gateway/control/control-records.ts'
import { declareExport, findDeclaration, listDeclarations } from '../../../db/gateway/control/declare-export.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import {
  DeclarationId,
  DeclarationView,
  DeclareExportBody,
  ListDeclaredExportsAnswer,
} from '../../../core/gateway/wire/control/exports.ts'
import { defineRoute } from '../services.ts'

function presentDeclaration(declaration: ExportDeclaration): z.input<typeof DeclarationView> {
  return {
    export_id: declaration.id,
    state: declaration.state,
    delivery: 'none',
    destination_id: declaration.destinationId,
    destination_class: declaration.destinationClass,
    created_at: declaration.createdAt.toISOString(),
    delivery_ledger: declaration.ledger,
  }
}

export const declareExportRoute = defineRoute({
  method: 'post',
  path: '/v1/account/api-control-center/exports',
  operationId: 'declareExport',
  group: 'accounts',
  summary: 'Declare an export of data to a destination',
  description:
    'Everything that must be known before data may leave: mode, destination and its class, processor, class of the payload, redaction, and the payload, of which only the digest after redaction is kept. A declaration delivers nothing. Missing fields answer 422 with the ledger.',
  auth: 'key',
  scope: 'control:write',
  namespace: 'refused',
  idempotency: 'kernel',
  stores: 'records',
  body: DeclareExportBody,
  answers: { 201: envelope('The declaration with its ledger', DeclarationView) },
  errors: ['missing_export_declarations', 'limit_reached'],
}).handle(async ({ op, services: { limits }, body }) => {
  const given: unknown = body
  return { status: 201, body: presentDeclaration(await declareExport(op, { given: given as JsonObject, limits })) }
})

export const listDeclarationsRoute = defineRoute({
  method: 'get',
  path: '/v1/account/api-control-center/exports',
  operationId: 'listDeclaredExports',
  group: 'accounts',
  summary: 'The declared exports, newest first',
  auth: 'key',
  scope: 'control:read',
  namespace: 'refused',
  query: pageOf(50),
  answers: {
    200: envelope('One page, and how many there are', ListDeclaredExportsAnswer),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const page = await listDeclarations(op, query)
  return {
    status: 200,
    body: { total: page.total, exports: page.items.map(presentDeclaration), next_cursor: page.nextCursor },
  }
})

export const getDeclarationRoute = defineRoute({
  method: 'get',
  path: '/v1/account/api-control-center/exports/{id}',
  operationId: 'getDeclaredExport',
  group: 'accounts',
  summary: 'One declared export',
  auth: 'key',
  scope: 'control:read',
  namespace: 'refused',
  params: z.object({ id: DeclarationId }),
  answers: { 200: envelope('The declaration', DeclarationView) },
}).handle(async ({ op, params: { id } }) => ({
  status: 200,
  body: presentDeclaration(await findDeclaration(op, id)),
}))
