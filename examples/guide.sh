# The start of the guides in docs/, for bash: functions that send requests, and an account with a project. Paste `. examples/guide.sh`
# in a clone of the repository, with the service running (`npm start`).

API=${API:-http://127.0.0.1:3000}

# a part of the JSON that comes in: json .project.id
json() { node -p "JSON.parse(require('fs').readFileSync(0))$1"; }

# requests as the user of $TOKEN: METHOD PATH [JSON], and more arguments for curl
send() { curl -sS -X "$1" "$API$2" -H "Authorization: token $TOKEN" -H 'Content-Type: application/json' --data-binary "${3-}" "${@:4}"; }
get() { curl -sS "$API$1" -H "Authorization: token $TOKEN"; }

# the same as somebody else: as "$MIA" get /users/me
as() { TOKEN=$1 "${@:2}"; }

# opens an account, and prints a token of it
open() { TOKEN='' send POST /users "{\"username\": \"$1\", \"password\": \"correct horse battery\"}" | json .token.access_token; }

# Eva, her project, its first page, and a text there
NAME=eva-$RANDOM$RANDOM
TOKEN=$(open "$NAME")
ANSWER=$(send POST /users/me/projects '{"title": "Plants"}')
USER_ID=$(echo "$ANSWER" | json .project.user_id)
PROJECT_ID=$(echo "$ANSWER" | json .project.id)
PAGE_ID=$(echo "$ANSWER" | json .page.id)
PROJECT=/users/$USER_ID/projects/$PROJECT_ID
PAGE=$PROJECT/pages/$PAGE_ID
ELEMENT=$PAGE/elements/$(send POST "$PAGE/elements" '{"type": "text", "attributes": {"text": "Tomatoes", "size": 12}}' | json .element.id)
