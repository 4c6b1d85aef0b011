/* global SwaggerUIBundle */

const formTypes = ['multipart/form-data', 'application/x-www-form-urlencoded'];

/** Forms begin with what their schema's example fills in: the page would make up a text for every other field. */
function prepareForms(spec) {
  for (const operation of Object.values(spec.paths).flatMap(Object.values))
    for (const type of formTypes) {
      const reference = operation.requestBody?.content[type]?.schema.$ref ?? '';
      const schema = spec.components.schemas[reference.split('/').at(-1)];
      for (const [name, property] of Object.entries(schema?.properties ?? {}))
        property.example = schema.example?.[name] ?? '';
    }
  return spec;
}

/** A field left empty is one that is not given; the service refuses empty ones. */
function dropEmptyFields(request) {
  if (request.body instanceof FormData)
    for (const [name, value] of [...request.body.entries()]) if (value === '') request.body.delete(name);
  if (request.body instanceof URLSearchParams || request.headers['Content-Type'] === formTypes[1]) {
    const given = [...new URLSearchParams(request.body)].filter(([, value]) => value !== '');
    request.body = new URLSearchParams(given).toString();
  }
  return request;
}

const answer = await fetch('/swagger.json');
// Keys are kept by the page alone, and only until it is left; nothing is asked of another host.
SwaggerUIBundle({
  spec: prepareForms(await answer.json()),
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  requestInterceptor: dropEmptyFields,
});
