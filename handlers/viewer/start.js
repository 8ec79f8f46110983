SwaggerUIBundle({ url: "/openapi.json", dom_id: "#viewer", deepLinking: true, displayRequestDuration: true, validatorUrl: null });
