import { z } from 'zod'

/** Where the telemetry of calls is exported to. */
export interface TelemetrySettings {
  /** Address of a collector that speaks OTLP over HTTP, without a slash at its end. */
  readonly endpoint: string
  /** Headers of the exports, such as a key of the collector. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

/** The variables of OpenTelemetry that the service reads, by their names there. */
export const TELEMETRY_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
      error: 'must be an address that starts with http:// or https://',
    })
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .transform((text, context) => {
      const pairs = text
        .split(',')
        .filter((pair) => pair.trim() !== '')
        .map((pair) => /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(pair))
      if (pairs.includes(null)) {
        // The value stays out of the message: it may be a key.
        context.addIssue({ code: 'custom', message: 'must be name=value, with commas between them' })
        return z.NEVER
      }
      return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', decoded(pair?.[2] ?? '')]))
    })
    .optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
}

/** Values are percent-encoded, as in W3C Baggage. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** The settings of telemetry; undefined without an endpoint: nothing is then exported. */
export function readTelemetry(variables: {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_EXPORTER_OTLP_HEADERS?: Readonly<Record<string, string>> | undefined
  readonly OTEL_SERVICE_NAME?: string | undefined
}): TelemetrySettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = variables
  if (endpoint === undefined) return undefined
  return { endpoint, headers, serviceName: variables.OTEL_SERVICE_NAME ?? 'svc' }
}
