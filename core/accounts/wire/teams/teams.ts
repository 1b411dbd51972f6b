import { z } from 'zod'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { TeamView } from './team-view.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { TeamId } from '../../../kernel/wire/ids.ts'

const Name = textUpTo(100)

const Slug = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/, {
  error: 'must have 1 to 48 lower-case letters, digits and hyphens',
})

/** Answer of `GET /v1/teams`. */
export const ListTeamsAnswer = z.object({ teams: z.array(TeamView), next_cursor: NextCursor })

/** Body of `POST /v1/teams`. */
export const CreateTeamBody = z
  .object({ name: Name, slug: Slug.optional().meta({ description: 'Derived from the name when absent' }) })
  .meta({ example: { name: 'Research' } })

/** Answer of `POST /v1/teams`. */
export const CreateTeamAnswer = z.object({ team: TeamView })

/** Answer of `GET /v1/teams/{id}`. */
export const GetTeamAnswer = z.object({ team: TeamView })

/** Body of `PATCH /v1/teams/{id}`. */
export const ChangeTeamBody = z
  .object({ name: Name.optional(), slug: Slug.optional() })
  .refine(({ name, slug }) => name !== undefined || slug !== undefined, {
    error: 'must hold a name or a slug',
    params: { code: 'no_fields' },
  })
  .meta({ example: { name: 'Research' } })

/** Answer of `PATCH /v1/teams/{id}`. */
export const ChangeTeamAnswer = z.object({ team: TeamView })

/** Answer of `DELETE /v1/teams/{id}`. */
export const DeleteTeamAnswer = z.object({ id: TeamId })
