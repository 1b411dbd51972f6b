import { z } from 'zod'
import type { Limits } from '../../limits.ts'
import { GivenArtifactId, idOf } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

/** The id of a share link. */
export const ShareLinkId = idOf('shr', 'Id of a share link')

const Kind = z.enum(['artifact', 'report']).meta({
  description: '`report` shows how the artifact was measured; `artifact` hands out the archive as well',
})

/** A share link as its owner sees it. */
export const ShareLinkView = z
  .object({
    id: ShareLinkId,
    kind: Kind,
    target_id: z.string(),
    state: z.enum(['live', 'expired', 'revoked']),
    opened: z.int(),
    allow_run: z.boolean().meta({ description: 'Whether the page runs the artifact on inputs of its visitors' }),
    runs: z.int().meta({ description: 'Runs that visitors made; each is charged like a run of the tenant' }),
    runs_left: z.int().meta({ description: 'Runs that visitors may still make; 0 without `allow_run`' }),
    created_by: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'ShareLink' })

/** Body of `POST /v1/share-links`. */
export const createShareLinkBody = ({ share_link_days: most, share_link_runs: runs }: Limits) =>
  z.object({
    kind: Kind.default('artifact'),
    target_id: GivenArtifactId,
    days: z.int().min(1).max(most).default(most),
    allow_run: z
      .boolean()
      .default(false)
      .meta({
        description: `Lets visitors of the page run the artifact, at most ${runs} times; each run is charged to your quota`,
      }),
  })

/** Answer of `POST /v1/share-links`. */
export const CreateShareLinkAnswer = z.object({ id: ShareLinkId, url: z.string(), expires_at: z.iso.datetime() })

/** Answer of `GET /v1/share-links`. */
export const ListShareLinksAnswer = z.object({ share_links: z.array(ShareLinkView), next_cursor: NextCursor })

/** Answer of `DELETE /v1/share-links/{id}`. */
export const RevokeShareLinkAnswer = z.object({ id: ShareLinkId })
