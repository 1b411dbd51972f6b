import { sql } from 'kysely'
import { conditionsOf } from '../filter.ts'
import type { CaptureReader } from '../read-columns.ts'

/** A capture with sound, and the texts that go with it. */
export type AudioCapture = Awaited<ReturnType<typeof listAudio>>[number]

/** Characters of a text that is read. */
const TEXT_CHARS = 8000

/** Lists captures of the tenant with sound, newest first, without forgotten ones. */
export async function listAudio(
  op: CaptureReader,
  { namespace, limit }: { readonly namespace?: string | undefined; readonly limit: number },
) {
  return await op.read((q) =>
    q
      .selectFrom('captures as c')
      .innerJoin('capture_contents as x', 'x.id', 'c.id')
      .select(['c.id', 'c.namespace', 'c.at', 'c.audio', 'c.outcome', 'x.body', 'x.fixed_output as fixedOutput'])
      .select(sql<string>`left(x.prompt, ${TEXT_CHARS})`.as('prompt'))
      .select(sql<string>`left(x.response, ${TEXT_CHARS})`.as('response'))
      .where(conditionsOf(op.tenantId, { namespace }))
      .where('c.audio', 'is not', null)
      .orderBy('c.id', 'desc')
      .limit(limit),
  )
}
