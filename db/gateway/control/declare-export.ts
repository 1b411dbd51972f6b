import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { readDeclaration } from '../../../core/gateway/control/declaration.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/gateway/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { lockInTransaction } from '../../kernel/transaction.ts'
import { ExportDeclarationEntity, type ExportDeclaration } from './control-records.ts'

const COLUMNS = [
  'id',
  'tenant_id as tenantId',
  'destination_id as destinationId',
  'destination_class as destinationClass',
  'state',
  'ledger',
  'created_at as createdAt',
] as const

/**
 * Records a tenant's declaration of one export. The exported content is not stored, only its digest. Throws
 * `missing_export_declarations`, which lists the missing ones, and `limit_reached`.
 */
export async function declareExport(
  op: Operation,
  { given, limits }: { readonly given: JsonObject; readonly limits: Limits },
): Promise<ExportDeclaration> {
  const exportId = newId('dcl')
  const declaredAt = op.now()
  const { missing, destinationId, destinationClass, ledger } = readDeclaration(given, { exportId, declaredAt })
  if (missing.length > 0) {
    throw GATEWAY_ERRORS.missing_export_declarations(`not declared: ${missing.join(', ')}`, {
      details: {
        fields: missing.map((field) => ({ field, message: 'must be declared' })),
        delivery_ledger: ledger,
      },
    })
  }
  return await op.write(async (tx) => {
    await lockInTransaction(tx, `declarations ${op.tenantId}`)
    const most = limits.declared_exports_per_tenant
    if ((await tx.em.count(ExportDeclarationEntity, {})) >= most) {
      throw ACCOUNTS_ERRORS.limit_reached(`${most} exports are declared already`, { details: { max: most } })
    }
    const declaration = tx.em.create(ExportDeclarationEntity, {
      id: exportId,
      tenantId: op.tenantId,
      destinationId,
      destinationClass,
      state: 'declared',
      ledger,
      createdAt: declaredAt,
    })
    await recordAudit(tx, op, {
      action: 'control.export_declared',
      target: exportId,
      payload: { destination_id: destinationId, destination_class: destinationClass },
    })
    return declaration
  })
}

/** Lists the tenant's declarations, newest first, and their total number. Throws `invalid_cursor`. */
export async function listDeclarations(
  op: Operation,
  input: PageRequest,
): Promise<Page<ExportDeclaration> & { readonly total: number }> {
  const { rank, id } = placeOf(input.cursor)
  const at = new Date(rank)
  const [rows, [counted]] = await op.read((q) => {
    const declarations = q.selectFrom('export_declarations').where('tenant_id', '=', op.tenantId)
    return [
      declarations
        .select(COLUMNS)
        .where((of) => of.or([of('created_at', '<', at), of.and([of('created_at', '=', at), of('id', '<', id)])]))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(input.limit + 1),
      declarations.select(q.fn.countAll<number>().as('total')),
    ]
  })
  const page = pageOf(rows, input.limit, placeByCreation)
  return { ...page, total: counted?.total ?? 0 }
}

/** Returns a declaration of the tenant. Throws `not_found`. */
export async function findDeclaration(op: Operation, id: string): Promise<ExportDeclaration> {
  const [found] = await op.read((q) =>
    q.selectFrom('export_declarations').select(COLUMNS).where('tenant_id', '=', op.tenantId).where('id', '=', id),
  )
  if (found === undefined) throw KERNEL_ERRORS.not_found('no such export was declared')
  return found
}
