import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import proto from '@temporalio/proto'
import type { TemporalClient } from '../../../temporal/client.ts'

/** Where recorded histories lie: `<case>.json`. */
export const HISTORIES_DIR = fileURLToPath(new URL('../../histories/', import.meta.url))

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const { History } = proto.temporal.api.history.v1

/** The history of a run as JSON. */
export async function historyOf(temporal: TemporalClient, workflowId: string): Promise<string> {
  const history = await temporal.client.workflow.getHandle(workflowId).fetchHistory()
  const plain = History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String })
  return `${JSON.stringify(plain, null, 2)}\n`
}

/**
 * The history of a finished run as JSON. With `SVC_RECORD_HISTORIES=1` it is also written to test/histories, for the
 * replay test; what belongs to the machine it ran on is taken out.
 */
export async function recordHistory(temporal: TemporalClient, name: string, workflowId: string): Promise<string> {
  const json = await historyOf(temporal, workflowId)
  if (process.env['SVC_RECORD_HISTORIES'] === '1') {
    const portable = json.replaceAll(ROOT, '/svc/').replaceAll(/worker@[^"]+"/g, 'worker@recorder"')
    await writeFile(`${HISTORIES_DIR}${name}.json`, portable)
  }
  return json
}

/** A recorded history. */
export async function loadHistory(file: string): Promise<proto.temporal.api.history.v1.History> {
  return History.fromObject(JSON.parse(await readFile(`${HISTORIES_DIR}${file}`, 'utf8')))
}
