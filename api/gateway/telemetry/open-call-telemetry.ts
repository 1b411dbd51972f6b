import type { Logger } from '../../../config/logger.ts'
import type { TelemetrySettings } from '../../../config/environment/telemetry.ts'
import type { OpenedTelemetry } from './open-telemetry.ts'

/** Opens the export of telemetry; undefined without settings, and then none of OpenTelemetry is loaded. */
export async function openCallTelemetry(
  settings: TelemetrySettings | undefined,
  log: Pick<Logger, 'warn'>,
): Promise<OpenedTelemetry | undefined> {
  if (settings === undefined) return undefined
  const { openTelemetry } = await import('./open-telemetry.ts')
  return openTelemetry(settings, log)
}
