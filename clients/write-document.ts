/**
 * Writes `clients/openapi.json`, which the clients are generated from: the machine contract of the routes at the default
 * limits. `clients/generate.sh` calls it.
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describeApi } from '../api/kernel/openapi/openapi.ts'
import { ROUTES } from '../api/routes.ts'
import { resolveLimits } from '../core/limits.ts'

const document = describeApi(ROUTES, { limits: resolveLimits(undefined), publicUrl: undefined })
await writeFile(fileURLToPath(new URL('openapi.json', import.meta.url)), JSON.stringify(document))
