/** As much of a browser as a sign-in elsewhere needs: it follows redirects and keeps the cookies of each host. */
export interface Browser {
  /** Goes to an address and on from there, until one of a host in `stopsAt` comes: that one is answered, not called. */
  follow(url: string, stopsAt: string): Promise<URL>
}

/** A browser without cookies. */
export function openBrowser(): Browser {
  const cookies = new Map<string, Map<string, string>>()
  const jarOf = (host: string): Map<string, string> => {
    const jar = cookies.get(host) ?? new Map<string, string>()
    cookies.set(host, jar)
    return jar
  }
  return {
    async follow(start, stopsAt) {
      let url = new URL(start)
      for (let hop = 0; hop < 20; hop++) {
        if (url.host === stopsAt) return url
        const jar = jarOf(url.host)
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } })
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
          if (value === '') jar.delete(name)
          else jar.set(name, value)
        }
        const location = response.headers.get('location')
        if (location === null) throw new Error(`${url.pathname} answered ${response.status}: ${await response.text()}`)
        await response.body?.cancel()
        url = new URL(location, url)
      }
      throw new Error('the redirects come to no end')
    },
  }
}
