import { z } from 'zod'

/** Answer of `GET /v1/scopes`. */
export const ListScopesAnswer = z.object({
  scopes: z.array(z.object({ scope: z.string(), routes: z.array(z.string()) })),
  roles: z.record(z.string(), z.array(z.string())),
})
