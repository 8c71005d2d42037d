# Makes a database and a role for each service, once, when the server is new. A role enters its own database alone.
# For another server: PGHOST=... PGUSER=... PASSWORDS=folder bash databases.sh
set -e
export PASSWORDS="${PASSWORDS:-/etc/banakil/databases}"

for service in bots lobby shuffle table wallet; do
  SERVICE="$service" psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=service="$service" \
    --username="${PGUSER:-postgres}" --dbname=postgres << 'SQL'
\set password `cat "$PASSWORDS/$SERVICE"`
CREATE ROLE :"service" LOGIN PASSWORD :'password';
CREATE DATABASE :"service" OWNER :"service";
REVOKE ALL ON DATABASE :"service" FROM PUBLIC;
SQL
done
