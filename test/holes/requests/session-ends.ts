import { expect } from 'chai'
import type { useApi } from '../../support/api.ts'
import { eventually } from '../../support/wire/eventually.ts'

/** Waits until a session is refused: its process is notified of the end right after it. */
export async function sessionEnds(
  api: Pick<ReturnType<typeof useApi>, 'call'>,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  await eventually(async () => {
    expect((await api.call('GET', '/v1/whoami', { headers })).status).to.equal(401)
  })
}
