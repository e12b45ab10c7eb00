#!/usr/bin/env bash
# A whole day of an author with Pagewright, using only curl (and node to read the responses).
#
#     PAGEWRIGHT_URL=http://127.0.0.1:3000 examples/walkthrough.sh
#
# It opens two new accounts, checks every response, and deletes both accounts at the end, so you can run it as often as
# you like. At the first unexpected response it prints a message and exits with 1.
set -euo pipefail

base="${PAGEWRIGHT_URL:-http://127.0.0.1:3000}"
base="${base%/}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
run="$(node -p 'require("node:crypto").randomBytes(4).toString("hex")')"
token=''            # Sent with every request while it is not empty
status=''           # Of the last response; its headers and body are in $work

chapter() { if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$1"; else printf '\n%s\n' "$1"; fi; }
done_() { printf '  ✓ %s\n' "$1"; }
fail() {
    printf '  ✗ %s\n' "$1" >&2
    printf '    the last response was %s: %s\n' "${status:-none}" "$(head -c 600 "$work/body" 2>/dev/null)" >&2
    exit 1
}

# call METHOD PATH [BODY] [further arguments of curl]
call() {
    local method="$1" path="$2" body="${3:-}"
    shift $(($# > 3 ? 3 : $#))
    local arguments=(--silent --show-error --max-time 30 --request "$method" --output "$work/body" --dump-header "$work/headers" --write-out '%{http_code}')
    if [[ -n "$token" ]]; then arguments+=(--header "Authorization: Bearer $token"); fi
    if [[ -n "$body" ]]; then arguments+=(--header 'Content-Type: application/json' --data-binary "$body"); fi
    : > "$work/body"
    status="$(curl "${arguments[@]}" "$@" "$base$path")" || fail "$method $path: no response from $base (start the server, or set PAGEWRIGHT_URL)"
    if [[ "$status" == 429 ]]; then fail "$method $path: too many requests; wait $(header retry-after) s, or start the server with RATE_LIMIT=off"; fi
}

# expect STATUS WHAT: the last response has that status
expect() {
    if [[ "$status" != "$1" ]]; then fail "$2: expected $1"; fi
    done_ "$2"
}

# check WHAT EXPRESSION [ARGUMENT…]: a JavaScript expression of the response's `body` (and the arguments `a`) is true
check() {
    local what="$1" expression="$2"
    shift 2
    if [[ "$(evaluate "$expression" "$@")" != true ]]; then fail "$what: expected $expression${*:+ with $*}"; fi
    done_ "$what"
}

# evaluate EXPRESSION [ARGUMENT…]: prints the value of a JavaScript expression of the response's `body`
evaluate() {
    node -e '
        const [file, expression, ...a] = process.argv.slice(1);
        const text = require("node:fs").readFileSync(file, "utf8");
        const value = new Function("body", "a", `return ${expression}`)(text ? JSON.parse(text) : null, a);
        console.log(typeof value === "string" ? value : JSON.stringify(value) ?? "");
    ' "$work/body" "$@" 2>"$work/fault" || fail "cannot evaluate $1 for the response ($(grep -m1 Error "$work/fault" || true))"
}

header() { { grep -i "^$1:" "$work/headers" || true; } | tail -n 1 | cut -d: -f2- | tr -d '\r' | sed 's/^ *//'; }

chapter "Morning: is anybody there?"
call GET /health
expect 200 "$base is alive"

chapter "An account"
name="ana-$run"
password="$(node -p 'require("node:crypto").randomBytes(12).toString("base64url")')"
call POST /users "{\"username\": \"$name\", \"password\": \"$password\", \"language\": \"es\"}"
expect 201 "opened the account $name"
ana="$(evaluate body.user.id)"
ana_token="$(evaluate body.token.access_token)"
check "the response has the user and a first token" 'body.status === "created" && body.user.username === a[0] && body.token.access_token.length > 20' "$name"
call POST /users "{\"username\": \"${name^^}\", \"password\": \"$password\"}"
expect 409 "nobody else can be ${name^^}: upper and lower case make no difference"
check "… and the response says why, also for programs" 'body.code === "username_taken" && Boolean(body.request_id)'
call POST /tokens "{\"username\": \"$name\", \"password\": \"not the password\"}"
expect 401 "a wrong password is rejected"
check "… as wrong_credentials" 'body.code === "wrong_credentials"'
call POST /tokens "{\"username\": \"$name\", \"password\": \"$password\", \"label\": \"walkthrough\"}"
expect 201 "signed in"
session="$(evaluate body.token.access_token)"
session_id="$(evaluate body.token.id)"
token="$session"
call GET "/users/$ana"
expect 200 "read the account with the new token"

chapter "A project"
tag="утро_$run"
call POST "/users/$ana/projects" "{\"title\": \"Un día en el puerto\", \"description\": \"Seis fotos y una sopa. 🌊 #foto #$tag\"}"
expect 201 "created the project"
project="$(evaluate body.project.id)"
first="$(evaluate body.page.id)"
check "it came with a first page, at (0, 0)" 'body.page.x === 0 && body.page.y === 0 && body.page.project_id === body.project.id'
check "its tags are #foto and #$tag" 'body.project.tags.includes("foto") && body.project.tags.includes(a[0])' "$tag"
at="/users/$ana/projects/$project"
call GET "$at/pages/$first"
expect 200 "read the first page"
check "it is empty" 'body.page.elements.length === 0'

chapter "Pages and elements"
call POST "$at/pages" '{"x": 1, "y": 0, "styles": {"backgroundColor": "#fff4cc"}}'
expect 201 "added a page at (1, 0)"
second="$(evaluate body.page.id)"
call POST "$at/pages" '{"x": 1, "y": 0}'
expect 409 "a second page at (1, 0) is rejected"
check "… as coordinates_taken" 'body.code === "coordinates_taken"'
call POST "$at/pages/$first/elements" '{"type": "text", "attributes": {"text": "Amanece en el puerto"}, "styles": {"left": 20, "top": 40, "fontSize": 28}}'
expect 201 "added a text"
element="$(evaluate body.element.id)"
revision="$(evaluate body.element.revision)"
call POST "$at/pages/$first/elements" "{\"type\": \"link\", \"attributes\": {\"text\": \"→\", \"targetPageId\": \"$second\", \"targetProjectId\": \"$project\", \"targetUserId\": \"$ana\"}}"
expect 201 "added a link to the second page"
call GET "$at/pages/$first/elements"
check "the page lists both, in order of creation" 'body.elements.map((e) => e.type).join() === "text,link"'

chapter "Editing, and two editors at once"
call PATCH "$at/pages/$first/elements/$element" "{\"attributes\": {\"text\": \"Amanece\"}, \"revision\": $revision}"
expect 200 "changed the text, with revision $revision"
check "its revision grew and its styles stayed" 'body.element.revision > Number(a[0]) && body.element.styles.fontSize === 28' "$revision"
call PATCH "$at/pages/$first/elements/$element" "{\"attributes\": {\"text\": \"Anochece\"}, \"revision\": $revision}"
expect 409 "a second editor, still at revision $revision, gets a conflict"
check "the response has the current text: “Amanece”" 'body.code === "revision_conflict" && body.current.attributes.text === "Amanece"'
now="$(evaluate body.current.revision)"
call PATCH "$at/pages/$first/elements/$element" "{\"attributes\": {\"text\": \"Amanece y anochece\"}, \"revision\": $now}"
expect 200 "so the second editor merges, and saves with revision $now"
call PATCH "$at/pages/$second" '{"y": 0, "x": 0}'
expect 409 "the second page cannot be moved onto the first"
call PATCH "$at/pages/$second" '{"x": 0, "y": 1}'
expect 200 "but it can be moved below it, to (0, 1)"

chapter "Reading only what is new"
call GET "$at/pages/$first"
etag="$(header etag)"
if [[ -z "$etag" ]]; then fail "the page has no ETag"; fi
call GET "$at/pages/$first" '' --header "If-None-Match: $etag"
expect 304 "the page with If-None-Match: $etag is not sent again"
call PATCH "$at/pages/$first" '{"styles": {"backgroundColor": "#e8f4ff"}}' --header "If-Match: $etag"
expect 200 "a change with If-Match: $etag is accepted"
call PATCH "$at/pages/$first" '{"styles": {"backgroundColor": "#000000"}}' --header "If-Match: $etag"
expect 412 "the next one with the same If-Match is rejected"
call GET "$at/pages/$first" '' --header "If-None-Match: $etag"
expect 200 "the changed page is sent in full"

chapter "One save, many changes"
call POST "/users/$ana/bulk" "{\"actions\": [
    {\"type\": \"projects\", \"method\": \"create\", \"data\": {\"title\": \"Receta de sopa\"}},
    {\"type\": \"pages\", \"method\": \"create\", \"data\": {\"projectId\": \"\$0.id\", \"x\": 0, \"y\": 0}},
    {\"type\": \"pages\", \"method\": \"create\", \"data\": {\"projectId\": \"\$0.id\", \"x\": 1, \"y\": 0}},
    {\"type\": \"elements\", \"method\": \"create\", \"data\": {\"pageId\": \"\$1.id\", \"type\": \"text\", \"attributes\": {\"text\": \"Agua, sal, paciencia\"}}},
    {\"type\": \"elements\", \"method\": \"create\", \"data\": {\"pageId\": \"\$2.id\", \"type\": \"text\", \"attributes\": {\"text\": \"Servir\"}}},
    {\"type\": \"projects\", \"method\": \"update\", \"data\": {\"id\": \"$project\", \"title\": \"Un día en el puerto, con sopa\"}}
]}"
expect 200 "made a project with two pages and two texts, and renamed the first one, in one transaction"
check "six results, one for each action, and the references were resolved" 'body.results.length === 6 && body.results[3].page_id === body.results[1].id && body.results[3].element_type === "text"'
call POST "/users/$ana/bulk" "{\"actions\": [
    {\"type\": \"projects\", \"method\": \"create\", \"data\": {\"title\": \"Nunca\"}},
    {\"type\": \"pages\", \"method\": \"update\", \"data\": {\"id\": \"$first\", \"x\": 0, \"y\": 1}}
]}"
expect 409 "a save whose second action fails is rejected as a whole"
check "the response says which action it was" 'body.action === 1 && body.code === "coordinates_taken"'
call GET "$at"
check "the description is still there after the new title" 'body.project.title.endsWith("con sopa") && body.project.description.includes("#foto")'

chapter "Finding projects"
for attempt in 1 2 3 4 5 6 7; do
    call GET "/projects/tagged/$(node -p 'encodeURIComponent(process.argv[1])' "$tag")"
    if [[ "$status" != 200 || "$(evaluate 'body.projects.length')" == 1 || "$attempt" == 7 ]]; then break; fi
    sleep 1         # Public lists may lag by up to five seconds
done
expect 200 "listed the projects with #$tag"
check "the list has it, with its author and stats" 'body.projects.length === 1 && body.projects[0].id === a[0] && body.projects[0].author.username === a[1] && body.projects[0].stats.remixes === 0' "$project" "$name"

chapter "A second author remixes it"
ben_name="ben-$run"
token=''
call POST /users "{\"username\": \"$ben_name\", \"password\": \"$password\", \"language\": \"en\"}"
expect 201 "opened the account $ben_name"
ben="$(evaluate body.user.id)"
ben_token="$(evaluate body.token.access_token)"
token="$ben_token"
call PATCH "$at" '{"title": "Mine now"}'
expect 403 "$ben_name cannot change ${name}’s project"
call POST "$at/remixes" '{}'
expect 201 "but can remix it"
copy="$(evaluate body.project.id)"
check "the remix belongs to $ben_name and names its source" 'body.status === "remixed" && body.project.user_id === a[0] && body.project.remixed_from === a[1]' "$ben" "$project"
call GET "/users/$ben/projects/$copy/pages"
expect 200 "read the copied pages"
check "there are two, with new ids" 'body.pages.length === 2 && body.pages.every((page) => !a.includes(page.id))' "$first" "$second"
check "the link leads to the copied second page, not to ${name}’s" 'body.pages.flatMap((page) => page.elements).filter(({ type }) => type === "link").every(({ attributes }) => attributes.targetProjectId === a[0] && attributes.targetUserId === a[1] && attributes.targetPageId === body.pages.find(({ y }) => y === 1).id)' "$copy" "$ben"
call GET "$at/remixes"
check "the source lists its remix" 'body.projects.some(({ id }) => id === a[0])' "$copy"

chapter "Views"
call POST "/view-project/$project" '{}'
expect 200 "$ben_name looks at the project"
check "that counts as a view" 'body.counted === true'
call POST "/view-project/$project"
check "looking again on the same day does not" 'body.counted === false'
token=''
call POST "/view-project/$project"
check "a view without an account counts too" 'body.counted === true'
token="$ana_token"
call POST "/view-project/$project"
check "the author’s own view does not" 'body.counted === false'
for attempt in 1 2 3 4 5 6 7; do
    call GET "/projects/$project"
    if [[ "$status" != 200 || "$(evaluate 'body.project.stats.views')" == 2 || "$attempt" == 7 ]]; then break; fi
    sleep 1         # Stats may lag too
done
check "the stats have two views and one remix" 'body.project.stats.views === 2 && body.project.stats.remixes === 1'

chapter "A list, page by page"
call POST "/users/$ana/projects" '{"title": "Tres"}'
expect 201 "made a third project"
path="/users/$ana/projects?count=2"
call GET "$path"
expect 200 "read the first two"
check "there is a cursor for the next page" 'body.projects.length === 2 && typeof body.next === "string"'
if [[ "$(header link)" != *'rel="next"'* ]]; then fail "the Link header does not say where to go on"; fi
done_ "the Link header says so, too"
read_ids="$(evaluate 'body.projects.map(({ id }) => id).join(" ")')"
call GET "$path&after=$(evaluate 'encodeURIComponent(body.next)')"
expect 200 "read the rest"
# shellcheck disable=SC2086
check "one project, none skipped or repeated, and no further cursor" 'body.projects.length === 1 && !a.includes(body.projects[0].id) && body.next === null' $read_ids

chapter "Evening: a new name, and cleaning up"
call PATCH "/users/$ana" "{\"username\": \"ana_$run\"}"
expect 200 "$name is now ana_$run"
call GET "$at"
check "the project has the new name at once" 'body.project.author.username === a[0]' "ana_$run"
call DELETE "/tokens/$session_id"
expect 200 "revoked the token of this morning’s sign-in"
token="$session"
call GET "/users/$ana"
expect 401 "it no longer works"
if [[ -z "$(header www-authenticate)" ]]; then fail "the 401 has no WWW-Authenticate"; fi
done_ "WWW-Authenticate: $(header www-authenticate)"
token="$ana_token"
call DELETE "$at"
expect 200 "deleted the project"
call GET "$at"
expect 404 "it is not found any more"
call GET "$at/pages/$first"
expect 404 "nor are its pages"
call GET "/users/$ben/projects/$copy"
expect 200 "${ben_name}’s remix stays"
check "and still names its source" 'body.project.remixed_from === a[0]' "$project"
call DELETE "/users/$ana"
expect 200 "deleted the account ana_$run"
call GET "/users/$ana/projects"
expect 404 "the account is not found any more"
call GET "/users/$ana"
expect 401 "its token no longer works"
token="$ben_token"
call DELETE "/users/$ben"
expect 200 "deleted the account $ben_name"

printf '\nEverything was as expected.\n'
