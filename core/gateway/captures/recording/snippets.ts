/** Languages of snippets. */
export const SNIPPET_LANGUAGES = ['curl', 'javascript', 'typescript', 'python', 'go', 'java', 'ruby'] as const
/** One of them. */
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number]

/** The call that a snippet makes. */
export interface SnippetCall {
  readonly baseUrl: string
  readonly namespace: string
  readonly key: string
}

/** Base addresses for the SDKs of providers, whose calls are then captured. */
export function sdkBases(baseUrl: string): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: `${baseUrl}/v1/capture/openai/v1`,
    ANTHROPIC_BASE_URL: `${baseUrl}/v1/capture/anthropic`,
    OPENROUTER_BASE_URL: `${baseUrl}/v1/capture/openrouter/v1`,
    GEMINI_BASE_URL: `${baseUrl}/v1/capture/gemini/v1`,
  }
}

const ITEM = { input: 'Where is my parcel?', output: 'shipping' } as const

/** A program that stores one pair. Values stand in it as literals of JSON, which all of these languages read. */
export function snippetOf(language: SnippetLanguage, { baseUrl, namespace, key }: SnippetCall): string {
  const url = `${baseUrl}/v1/capture/log`
  const body = JSON.stringify({ namespace, items: [ITEM] })
  switch (language) {
    case 'curl': {
      return `curl ${url} \\\n  -H 'authorization: Bearer ${key}' \\\n  -H 'content-type: application/json' \\\n  -d '${body}'\n`
    }
    case 'javascript':
    case 'typescript': {
      const made = `const response = await fetch(${text(url)}, {
  method: 'POST',
  headers: { authorization: ${text(`Bearer ${key}`)}, 'content-type': 'application/json' },
  body: JSON.stringify(${body}),
})
`
      return language === 'javascript'
        ? `${made}console.log(await response.json())\n`
        : `${made}const stored: { ok: boolean; ids: string[] } = await response.json()\nconsole.log(stored)\n`
    }
    case 'python': {
      return `import json
import urllib.request

request = urllib.request.Request(
    ${text(url)},
    data=json.dumps(${body}).encode(),
    headers={"Authorization": ${text(`Bearer ${key}`)}, "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))
`
    }
    case 'go': {
      return `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`${body}\`)
	request, err := http.NewRequest("POST", ${text(url)}, body)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", ${text(`Bearer ${key}`)})
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	stored, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(stored))
}
`
    }
    case 'java': {
      return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

public class Capture {
    public static void main(String[] args) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(${text(url)}))
            .header("Authorization", ${text(`Bearer ${key}`)})
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(${text(body)}))
            .build();
        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(response.body());
    }
}
`
    }
    case 'ruby': {
      return `require "json"
require "net/http"

uri = URI(${text(url)})
headers = { "Authorization" => ${text(`Bearer ${key}`)}, "Content-Type" => "application/json" }
response = Net::HTTP.post(uri, '${body}', headers)
puts JSON.parse(response.body)
`
    }
  }
}

function text(value: string): string {
  return JSON.stringify(value)
}
