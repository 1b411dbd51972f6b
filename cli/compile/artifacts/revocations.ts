import { writeFile } from 'node:fs/promises'
import { RevocationList } from '../../../core/compile/wire/artifacts/revocations.ts'
import type { CliContext } from '../../context.ts'

/** Options of `svc artifacts revocations`. */
export interface RevocationFlags {
  readonly out: string
}

/** `svc artifacts revocations`: writes the list as the server sent it. A newer list replaces an older one. */
export async function downloadRevocations(context: CliContext, { out }: RevocationFlags): Promise<void> {
  const client = await context.guest()
  const list = await client.call('/v1/revocations', RevocationList)
  await writeFile(out, `${JSON.stringify(list, null, 2)}\n`)
  const { number, issued_at: issuedAt, revoked } = list
  context.output.result({ number, issued_at: issuedAt, revoked: revoked.length, written: out }, () =>
    [`wrote ${out}: list ${number} of ${issuedAt}`, `${revoked.length} revoked artifacts`].join('\n'),
  )
}
