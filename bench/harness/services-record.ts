import type { ProcessIdentity } from '../../stack/process-identity.ts'
import { findServices } from '../../stack/supervisor/record.ts'
import { readRecord } from '../../stack/record.ts'
import type { Stack } from '../../stack/stack.ts'

/** The processes of a running service by name: the API, the worker, postgres and temporal. */
export async function readServicesRecord(stack: Stack): Promise<Readonly<Record<string, ProcessIdentity>>> {
  const [services, record] = await Promise.all([findServices(stack.dataDir), readRecord(stack.dataDir)])
  return {
    ...services?.processes,
    ...(record.postgres !== undefined && { postgres: record.postgres.process }),
    ...(record.temporal !== undefined && { temporal: record.temporal.process }),
  }
}
